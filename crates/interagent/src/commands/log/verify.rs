//! Whether the log is whole: each replica's chain, and everything that follows from it.

use interagent_store::{ChainLength, Finding, Severity};
use interagent_wire::answer::{ChainView, FindingSeverity, FindingView, VerifyView};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn verify(session: &mut Session) -> Result<ExitCode, CliError> {
    let progress = session.progress("checking");
    let store = session.hub()?.store();
    let findings = store.verify(&mut |done, total| progress.tell(done, total))?;
    let chains = store.chains()?;
    let seq = store.head()?.seq;
    drop(progress);
    match session.is_for_people() {
        true => show(session, &chains, &findings),
        false => session.document(seq, &view(&chains, &findings)),
    }
    session.conclude(Done::Looked)?;
    Ok(if is_whole(&findings) { ExitCode::Done } else { ExitCode::Refused })
}

/// A text that has not arrived yet is no damage.
fn is_whole(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity == Severity::Note)
}

fn show(session: &mut Session, chains: &[ChainLength], findings: &[Finding]) {
    let mut table = Table::new([
        Column::whole("replica"),
        Column::whole("id"),
        Column::number("entries"),
        Column::number("signed"),
    ]);
    for chain in chains {
        table.row([
            Cell::new(Role::Name, &chain.alias),
            Cell::new(Role::Id, &chain.origin),
            chain.entries.to_string().as_str().into(),
            chain.signed.to_string().as_str().into(),
        ]);
    }
    session.printer.table(&table);
    for finding in findings {
        let (role, word) = word(finding.severity);
        let helps = format!("  ({})", finding.helps);
        session.printer.line(&[(role, word), (Role::Plain, &finding.sentence), (Role::Quiet, &helps)]);
    }
    if is_whole(findings) {
        let words = ": every chain is unbroken, and what is shown follows from it";
        session.printer.line(&[(Role::Good, "whole"), (Role::Plain, words)]);
    }
}

fn word(severity: Severity) -> (Role, &'static str) {
    match severity {
        Severity::Note => (Role::Quiet, "note: "),
        Severity::Stale => (Role::Warning, "stale: "),
        Severity::Damage => (Role::Bad, "damaged: "),
    }
}

fn view(chains: &[ChainLength], findings: &[Finding]) -> VerifyView {
    let chain = |ChainLength { alias, origin, entries, signed }: &ChainLength| ChainView {
        alias: alias.clone(),
        origin: origin.clone(),
        entries: *entries,
        signed: *signed,
    };
    let finding = |finding: &Finding| FindingView {
        severity: match finding.severity {
            Severity::Note => FindingSeverity::Note,
            Severity::Stale => FindingSeverity::Stale,
            Severity::Damage => FindingSeverity::Damaged,
        },
        sentence: finding.sentence.clone(),
        helps: finding.helps.to_owned(),
    };
    VerifyView {
        whole: is_whole(findings),
        chains: chains.iter().map(chain).collect(),
        findings: findings.iter().map(finding).collect(),
    }
}
