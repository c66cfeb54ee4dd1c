//! Hooks with mail: what it takes to hand three messages over, in a small and in a large store, beside hcom's; and what
//! is added to the agent's context.

use super::Bench;
use super::budget::Row;
use super::hub::{HOOKED, Hub, TEXT};
use super::stats::Samples;
use super::timing::{Case, interleave, table};
use crate::repo::stdout_of;
use crate::{Result, ui};

/// Messages that wait at each timed hook.
const PENDING: usize = 3;
/// What a message may cost beside its own text, and what the briefing may, in tokens.
const ENVELOPE_TOKENS: usize = 60;
const BRIEFING_TOKENS: usize = 600;

/// Three messages are sent before every run and handed over by it; those before them are confirmed by the same run.
pub(super) fn measure(bench: &Bench<'_>, small: &Hub, large: &Hub) -> Result<Vec<Row>> {
    let product = bench.product;
    let send = |hub: &Hub| -> Result<()> {
        for _ in 0..PENDING {
            stdout_of(&mut product.send_as_operator(&hub.folder, HOOKED, TEXT))?;
        }
        Ok(())
    };
    let mut cases = Vec::new();
    for hub in [small, large] {
        cases.push(
            Case::new(&format!("interagent hook, {PENDING} pending, {}", hub.entries), || {
                product.hook(&hub.folder, HOOKED)
            })
            .prepared(move || send(hub)),
        );
    }
    if let Some(hcom) = bench.hcom {
        cases.push(Case::new(&format!("hcom hook, {PENDING} pending"), || hcom.idle_hook()).prepared(|| {
            for _ in 0..PENDING {
                stdout_of(&mut hcom.send())?;
            }
            Ok(())
        }));
    }
    let samples = interleave(&cases, bench.rounds.min(60))?;
    ui::line(&format!("hooks with {PENDING} messages, {} runs each", samples[0].count()));
    ui::line(&table(&cases, &samples, |_| 0));
    let grown = samples[1].ratio_to(&samples[0]);
    let name = format!("growth of a hook with {PENDING}, {} against {}", large.entries, small.entries);
    let mut rows = vec![Row::ratio(&name, grown, 1.3)];
    if let Some(theirs) = samples.get(2) {
        rows.push(below(&samples[0], theirs));
    }
    rows.extend(tokens(bench, small)?);
    Ok(rows)
}

fn below(ours: &Samples, theirs: &Samples) -> Row {
    let ratio = ours.ratio_to(theirs);
    Row::new("hook with mail against hcom's", "< 1x", Ok((format!("{ratio:.2}x"), ratio < 1.0)))
}

/// What is added to the context: nothing without mail, an envelope around each message, and the briefing.
fn tokens(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let product = bench.product;
    let said = || -> Result<String> {
        let printed = stdout_of(&mut product.hook(&hub.folder, HOOKED)?)?;
        let document: serde_json::Value = serde_json::from_str(&printed).unwrap_or_default();
        Ok(document["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned())
    };
    said()?;
    let silent = said()?;
    stdout_of(&mut product.send_as_operator(&hub.folder, HOOKED, TEXT))?;
    let alone = said()?;
    let body = bench.baselines.tokens(TEXT)?;
    let beside = bench.baselines.tokens(&alone)?.saturating_sub(body);
    for _ in 0..PENDING {
        stdout_of(&mut product.send_as_operator(&hub.folder, HOOKED, TEXT))?;
    }
    let text = said()?;
    let each = bench.baselines.tokens(&text)?.saturating_sub(PENDING * body).div_ceil(PENDING);
    let briefing = bench.baselines.tokens(&stdout_of(&mut product.briefing(&hub.folder, HOOKED))?)?;
    ui::line(&format!("said with {PENDING} messages: {} bytes", text.len()));
    let row = |what: &str, measured: usize, limit: usize| {
        Row::new(what, &format!("<= {limit}"), Ok((measured.to_string(), measured <= limit)))
    };
    Ok(vec![
        row("tokens without mail", silent.len(), 0),
        row("tokens of a lone message beside its text", beside, ENVELOPE_TOKENS),
        row("tokens of one of three messages beside its text", each, ENVELOPE_TOKENS),
        row("tokens of a briefing", briefing, BRIEFING_TOKENS),
    ])
}
