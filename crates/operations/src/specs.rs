//! Specs: publishing versions, showing, listing and comparing them, wanting to hear of new ones.

mod compare;

pub(crate) use compare::diff;

use interagent_core::decide::spec::{self, Edition, Shelf};
use interagent_core::entity::spec::SpecVersion;
use interagent_core::entity::{Spec, When};
use interagent_core::event::{Event, SpecPublished};
use interagent_core::ids::{AgentId, EntityRef, SpecName};
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{ChangedView, Page, SpecRow, SpecView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use crate::call::Call;
use crate::input;
use crate::names::Names;
use crate::resolve;

/// Names shown to somebody who asked for a spec that is not there.
const NAMES_SHOWN: u32 = 20;

pub(crate) fn publish(call: &mut Call<'_>, params: &ask::SpecPublish) -> Result<Answer, Refusal> {
    input::no_secret_name("the name of the spec", &params.name)?;
    let edition = Edition {
        name: SpecName::parse(&params.name)?,
        body: Words::document("the spec", &params.body)?,
        note: params.note.as_deref().map(|note| Words::note("the note", note)).transpose()?,
        expected: params.expected_version,
    };
    let name = edition.name.clone();
    call.write(
        |scene| {
            let shelf = shelf(&mut scene.look(), &edition.name)?;
            let mut draft = scene.draft();
            spec::publish(&shelf, &edition, &scene.member, &mut draft)?;
            Ok(draft)
        },
        |reader, _| view(reader, &name, None, None),
    )
}

fn shelf(reader: &mut Reader<'_>, name: &SpecName) -> Result<Shelf, Refusal> {
    let Some(spec) = reader.spec(name)? else { return Ok(Shelf::default()) };
    let newest = match spec.versions.last() {
        Some(version) => reader.text_state(&version.body)?.whole(),
        None => None,
    };
    let subscribers = taking_part(reader, &spec)?;
    Ok(Shelf { spec: Some(spec), newest, subscribers })
}

fn taking_part(reader: &mut Reader<'_>, spec: &Spec) -> Result<Vec<AgentId>, Refusal> {
    let mut there = Vec::new();
    for id in &spec.subscribers {
        if reader.agent(id)?.is_some_and(|agent| agent.retired.is_none()) {
            there.push(id.clone());
        }
    }
    Ok(there)
}

pub(crate) fn show(call: &mut Call<'_>, params: &ask::SpecShow) -> Result<Answer, Refusal> {
    let name = SpecName::parse(&params.name)?;
    call.read(|reader, _| view(reader, &name, params.version, params.publisher.as_deref()))
}

/// One version with the list of all; the newest when none is named.
fn view(
    reader: &mut Reader<'_>,
    name: &SpecName,
    wanted: Option<u32>,
    publisher: Option<&str>,
) -> Result<Answer, Refusal> {
    let spec = published(reader, name)?;
    let wanted = wanted.unwrap_or(spec.version());
    let shown = match publisher {
        None => version(&spec, wanted)?.clone(),
        Some(publisher) => version_of(reader, name, wanted, publisher)?,
    };
    let shown = &shown;
    let number = shown.version;
    let subscribers = taking_part(reader, &spec)?;
    let mut names = Names::new(reader);
    let mut versions = Vec::with_capacity(spec.versions.len());
    for version in &spec.versions {
        versions.push(row(&mut names, name, version)?);
    }
    let SpecRow { publisher, published, note, .. } = row(&mut names, name, shown)?;
    // The text is what was asked for: one that is damaged is said plainly.
    let body = match names.reader.text(&shown.body)? {
        // Deleted, or held back where it was written: only the first is gone for good.
        None => names.text(&shown.body)?,
        whole => whole,
    };
    let subscribers = names.each(&subscribers)?;
    let view = SpecView {
        name: name.to_string(),
        version: number,
        body,
        publisher,
        published,
        note,
        versions,
        subscribers,
    };
    Ok(view.into())
}

/// A spec that has at least one version.
fn published(reader: &mut Reader<'_>, name: &SpecName) -> Result<Spec, Refusal> {
    match reader.spec(name)?.filter(|spec| spec.version() > 0) {
        Some(spec) => Ok(spec),
        None => Err(no_such_spec(reader, name)?),
    }
}

fn version(spec: &Spec, number: u32) -> Result<&SpecVersion, Refusal> {
    spec.versions.iter().find(|version| version.version == number).ok_or_else(|| {
        let there = match spec.version() {
            1 => "there is version 1".to_owned(),
            newest => format!("there are versions 1 to {newest}"),
        };
        let sentence = format!("{} has no version {number}", spec.name);
        Refusal::not_found("no_such_version", sentence).hint(there)
    })
}

/// A version as one member published it, whether it counted or another one's came first.
fn version_of(
    reader: &mut Reader<'_>,
    name: &SpecName,
    number: u32,
    publisher: &str,
) -> Result<SpecVersion, Refusal> {
    let publisher = resolve::agent(reader, publisher)?;
    let steps = reader.history(&EntityRef::Spec(name.clone()))?;
    let found = steps.into_iter().rev().find_map(|step| match step.fact.event {
        Event::SpecPublished(said) if said.version == number && said.publisher == publisher.id => {
            let when = When::from(&step.stamp);
            let SpecPublished { version, body, publisher, note } = said;
            Some(SpecVersion { version, body, publisher, note, when })
        }
        _ => None,
    });
    found.ok_or_else(|| {
        let sentence = format!("{} published no version {number} of {name}", publisher.name);
        Refusal::not_found("no_such_version", sentence).hint(format!("interagent log show spec:{name}"))
    })
}

/// Lists the versions of a spec, newest first.
pub(crate) fn history(call: &mut Call<'_>, params: &ask::SpecHistory) -> Result<Answer, Refusal> {
    let name = SpecName::parse(&params.name)?;
    let limit = resolve::page_limit(params.limit);
    let before = match params.after.as_deref().map(str::parse::<u32>) {
        None => u32::MAX,
        Some(Ok(version)) => version,
        Some(Err(_)) => {
            return Err(Refusal::usage("bad_page", "`after` is the version the page before ended with"));
        }
    };
    call.read(|reader, _| {
        let spec = published(reader, &name)?;
        let older = spec.versions.iter().rev().filter(|version| version.version < before);
        let mut versions: Vec<&SpecVersion> = older.take(limit as usize + 1).collect();
        let next = resolve::next_page(&mut versions, limit, |version| version.version.to_string());
        let mut names = Names::new(reader);
        let items =
            versions.iter().map(|version| row(&mut names, &name, version)).collect::<Result<_, _>>()?;
        Ok(Page { items, next }.into())
    })
}

fn published_names(reader: &mut Reader<'_>, most: u32) -> Result<Vec<String>, Refusal> {
    Ok(reader.specs("", most)?.into_iter().map(|spec| spec.name.to_string()).collect())
}

fn no_such_spec(reader: &mut Reader<'_>, name: &SpecName) -> Result<Refusal, Refusal> {
    let there = published_names(reader, NAMES_SHOWN)?;
    let hint = if there.is_empty() {
        "no spec was published yet; interagent spec publish NAME TEXT publishes one".to_owned()
    } else {
        format!("there is {}", there.join(", "))
    };
    Ok(Refusal::not_found("no_such_spec", format!("there is no spec {name}")).hint(hint))
}

fn row(names: &mut Names<'_, '_>, name: &SpecName, version: &SpecVersion) -> Result<SpecRow, Refusal> {
    Ok(SpecRow {
        name: name.to_string(),
        version: version.version,
        publisher: names.who(&version.publisher)?,
        published: Time(version.when.wall),
        note: names.maybe_text(version.note.as_ref())?,
    })
}

pub(crate) fn list(call: &mut Call<'_>, params: &ask::SpecList) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit);
    let after = match params.after.as_deref() {
        None => String::new(),
        Some(after) => SpecName::parse(after)?.to_string(),
    };
    call.read(|reader, _| {
        // One more than wanted tells whether there is a next page.
        let mut specs = reader.specs(&after, limit + 1)?;
        let more = specs.len() > limit as usize;
        specs.truncate(limit as usize);
        let next = specs.last().filter(|_| more).map(|spec| spec.name.to_string());
        let mut names = Names::new(reader);
        let mut items = Vec::with_capacity(specs.len());
        for spec in &specs {
            if let Some(newest) = spec.versions.last() {
                items.push(row(&mut names, &spec.name, newest)?);
            }
        }
        Ok(Page { items, next }.into())
    })
}

pub(crate) fn subscribe(call: &mut Call<'_>, params: &ask::SpecSubscribe) -> Result<Answer, Refusal> {
    input::no_secret_name("the name of the spec", &params.name)?;
    let name = SpecName::parse(&params.name)?;
    call.write(
        |scene| {
            let spec = scene.look().spec(&name)?;
            let others = match spec.as_ref().map_or(0, Spec::version) {
                0 => published_names(&mut scene.look(), limits::PAGE_MAX)?,
                _ => Vec::new(),
            };
            let mut draft = scene.draft();
            spec::subscribe(spec.as_ref(), &name, &others, &scene.member, params.remove, &mut draft);
            Ok(draft)
        },
        |_, appended| {
            let this = vec![name.to_string()];
            Ok(match appended {
                Appended::Nothing => ChangedView { changed: Vec::new(), unchanged: this },
                Appended::New(_) | Appended::Again(_) => ChangedView { changed: this, unchanged: Vec::new() },
            }
            .into())
        },
    )
}
