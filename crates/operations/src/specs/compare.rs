//! What changed between two versions of a spec.

use std::time::Duration;

use interagent_core::entity::spec::SpecVersion;
use interagent_core::ids::SpecName;
use interagent_core::refusal::Refusal;
use interagent_store::reader::Reader;
use interagent_store::{StoreError, TextState};
use interagent_wire::Answer;
use interagent_wire::answer::SpecChangeView;
use interagent_wire::request as ask;
use similar::{ChangeTag, TextDiff};

use crate::call::Call;
use crate::names::Names;

/// Looking for the smallest difference of two large texts has no end; after this a larger one is good enough.
const SEARCH: Duration = Duration::from_millis(300);

/// Compares two versions; the last two when none are named.
pub(crate) fn diff(call: &mut Call<'_>, params: &ask::SpecDiff) -> Result<Answer, Refusal> {
    let name = SpecName::parse(&params.name)?;
    call.read(|reader, _| {
        let spec = super::published(reader, &name)?;
        let to = super::version(&spec, params.to.unwrap_or(spec.version()))?;
        let from = match params.from {
            Some(from) => super::version(&spec, from)?,
            None if to.version == 1 => {
                let sentence = format!("there is nothing before version 1 of {name} to compare with");
                return Err(Refusal::not_found("no_such_version", sentence)
                    .hint(format!("interagent spec show {name}")));
            }
            None => super::version(&spec, to.version - 1)?,
        };
        let (old, new) = (text(reader, &name, from)?, text(reader, &name, to)?);
        let mut names = Names::new(reader);
        let (diff, added, removed) = unified(&name, (from.version, &old), (to.version, &new));
        let (from, to) = (super::row(&mut names, &name, from)?, super::row(&mut names, &name, to)?);
        Ok(SpecChangeView { from, to, diff, added, removed }.into())
    })
}

/// The text of a version. One that is not what was written is compared with nothing: the difference would be a lie.
fn text(reader: &mut Reader<'_>, name: &SpecName, version: &SpecVersion) -> Result<String, Refusal> {
    let hash = || version.body.as_str().to_owned();
    match reader.text_state(&version.body)? {
        TextState::Whole(text) => Ok(text),
        TextState::Damaged(_) => Err(StoreError::DamagedText { hash: hash() }.into()),
        TextState::Missing => Err(StoreError::MissingText { hash: hash() }.into()),
        TextState::Purged => {
            let sentence = format!("the text of version {} of {name} was deleted", version.version);
            Err(Refusal::not_found("text_deleted", sentence).hint(format!("interagent log show spec:{name}")))
        }
    }
}

/// The difference as people and `patch` read it, with the lines that came and went.
fn unified(name: &SpecName, (before, old): (u32, &str), (after, new): (u32, &str)) -> (String, u32, u32) {
    let diff = TextDiff::configure().timeout(SEARCH).diff_lines(old, new);
    let count = |tag: ChangeTag| {
        u32::try_from(diff.iter_all_changes().filter(|change| change.tag() == tag).count())
            .unwrap_or(u32::MAX)
    };
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    let shown = diff
        .unified_diff()
        .context_radius(3)
        .header(&format!("{name} version {before}"), &format!("{name} version {after}"))
        .to_string();
    (shown, added, removed)
}
