//! Taking in what other replicas wrote: verified, in each origin's order, and applied where it belongs in the order of
//! all.
//!
//! Owns the judgement of foreign lines and texts. Does not fetch them, and knows no file format but the line. One bad
//! line costs its origin the rest of this call; other origins go on. A long log is taken in many transactions, so that
//! others get their turn; each origin's part is a beginning of its log at any time, and giving it again goes on.
//!
//! An entry far in the future is stored but not counted: it waits under a negative place, and gets its place in the
//! order of arrival when its time has come. So whoever follows the log by place meets it exactly once, when it counts.

mod problem;
mod report;
mod rows;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use interagent_core::entity::Stamp;
use interagent_core::entry::{Entry, GENESIS, Line};
use interagent_core::event::{Event, Fact};
use interagent_core::ids::{EntityRef, HubId, OriginId};
use interagent_core::limits;
use interagent_core::secrets;
use interagent_core::signature::{Claim, Coverage, Standing, Unproven, admit};
use interagent_core::text::{StoredText, TextHash};

pub use self::problem::TakeInProblem;
pub use self::report::{ForeignLine, TakeIn};
pub(crate) use self::rows::{insert_foreign, next_waiting_place};
use crate::append::settle_texts;
use crate::engine::{Queryable, ReadTx, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Head, Stored};
use crate::standing::{refold_replica, says_who_lives_there, successors};
use crate::store::Store;
use crate::texts::texts_of;
use crate::views::Gate;
use crate::{correct, held, params, replicas, views};

/// What one transaction takes in: a few milliseconds of work, then others get their turn at the gate.
const BATCH_BYTES: usize = 1024 * 1024;
/// What a row costs beside its text.
const ROW_BYTES: usize = 1024;

impl Store {
    /// Takes in entries and texts of other replicas of this hub.
    ///
    /// Lines of one origin must be given in their order; origins may be mixed in any way, and what is here already may
    /// be given again.
    pub fn take_in(&mut self, lines: &[ForeignLine], texts: &[StoredText]) -> Result<TakeIn, StoreError> {
        self.take_in_sealed(lines, texts, &Coverage::default())
    }

    /// The same with the seals that came along. `coverage` was proven over all lines that are given, in this call or in
    /// several; lines of a replica whose key is known are taken in only where it covers them.
    pub fn take_in_sealed(
        &mut self,
        lines: &[ForeignLine],
        texts: &[StoredText],
        coverage: &Coverage,
    ) -> Result<TakeIn, StoreError> {
        // What needs no state is done before the gate.
        let mut problems = Vec::new();
        let mut entries = Vec::with_capacity(lines.len());
        for ForeignLine { text, place } in lines {
            match Line::verify(text).and_then(|line| Ok((line.entry()?, line))) {
                Ok((entry, line)) => entries.push((place, entry, line)),
                Err(why) => problems.push(TakeInProblem::Damaged { place: place.clone(), why }),
            }
        }
        let mut sound = Vec::with_capacity(texts.len());
        for text in texts {
            match unsound(text) {
                None => sound.push(text),
                Some(why) => problems.push(TakeInProblem::Text { hash: text.hash.clone(), why }),
            }
        }
        let is_purge = |fact: &Fact| matches!(fact.event, Event::TextPurged(_));
        let purges = entries.iter().any(|(_, entry, _)| entry.facts.iter().any(is_purge));
        self.must_be_decided()?;
        let (engine, hub, clock) = self.parts();
        let mut judged = Judged::default();
        judged.answer.problems = problems;
        let mut entries = entries.into_iter().peekable();
        let mut sound = sound.into_iter().peekable();
        // At least once: entries from the future may have come of age.
        loop {
            let mut tx = WriteTx::begin(&mut *engine)?;
            let mut intake = Intake::begin(&mut tx, hub, clock.wall_us(), (coverage, &mut judged))?;
            intake.release()?;
            let mut room = BATCH_BYTES;
            while let Some((place, entry, line)) = entries.next_if(|_| room > 0) {
                room = room.saturating_sub(line.text.len() + ROW_BYTES);
                intake.line(place, entry, &line)?;
            }
            while let Some(text) = sound.next_if(|_| room > 0) {
                room = room.saturating_sub(text.text.len() + ROW_BYTES);
                intake.text(text)?;
            }
            if entries.peek().is_none() && sound.peek().is_none() {
                intake.learn()?;
            }
            if intake.finish()? {
                tx.commit()?;
            }
            if entries.peek().is_none() && sound.peek().is_none() {
                break;
            }
        }
        let Judged { refold, answer, .. } = judged;
        if refold {
            self.fold_again()?;
        }
        let engine = self.parts().0;
        if purges && answer.new > 0 {
            // What was purged is not left in the write-ahead log. A reader in the way holds it up until the next one.
            let _ = engine.scrub();
        }
        Ok(answer)
    }

    /// Whether an entry from the future waits whose time has come.
    pub fn has_due(&mut self) -> Result<bool, StoreError> {
        let (engine, hub, clock) = self.parts();
        let horizon = horizon(clock.wall_us());
        let due = ReadTx::begin(engine)?.query_first(
            "SELECT 1 FROM entries WHERE hub = $1 AND held = 1 AND at <= $2 LIMIT 1",
            &params![hub, horizon],
        )?;
        Ok(due.is_some())
    }

    /// Counts the entries from the future whose time has come; answers with how many.
    pub fn release_due(&mut self) -> Result<u64, StoreError> {
        Ok(if self.has_due()? { self.take_in(&[], &[])?.released } else { 0 })
    }
}

/// The hub that an origin says it is a replica of, where the entry opens the origin.
fn hub_of(entry: &Entry) -> Option<&HubId> {
    entry.facts.iter().find_map(|fact| match &fact.event {
        Event::OriginOpened(opened) => Some(&opened.hub),
        _ => None,
    })
}

/// The latest `at` that counts now.
pub(crate) fn horizon(wall_us: i64) -> i64 {
    wall_us.saturating_add(limits::FUTURE_HELD_US)
}

/// Why a text can't be what it says it is, or can't be stored.
pub(crate) fn unsound(text: &StoredText) -> Option<&'static str> {
    if TextHash::of(&text.salt, &text.text) != text.hash {
        Some("its bytes do not match its hash")
    } else if text.text.contains('\0') || text.salt.contains('\0') {
        Some("it contains a NUL character")
    } else if text.text.len() > limits::BODY_BYTES {
        Some("it is longer than any text may be")
    } else {
        None
    }
}

/// Whether a text was purged, as far as is known here.
pub(crate) fn is_purged(q: &mut dyn Queryable, hub: i64, hash: &TextHash) -> Result<bool, StoreError> {
    let row = q.query_first(
        "SELECT 1 FROM entity_log WHERE hub = $1 AND entity = $2 AND void IS NULL LIMIT 1",
        &params![hub, format!("text:{hash}")],
    )?;
    Ok(row.is_some())
}

/// What one call makes of everything it was given, over all its transactions.
#[derive(Debug, Default)]
struct Judged {
    /// Origins that had a problem: the rest of theirs is left out.
    stopped: BTreeSet<OriginId>,
    /// Texts that entries which were left out point to.
    unwanted: BTreeSet<TextHash>,
    /// Texts that entries which are here point to, and for whom: one entry may repeat the text of another.
    wanted: BTreeMap<TextHash, EntityRef>,
    /// Replicas that said who lives there: what was written by those who continue them may count only now.
    peopled: BTreeSet<OriginId>,
    /// Something that counted does so no longer.
    refold: bool,
    answer: TakeIn,
}

impl Judged {
    /// Whether nothing but what was left out points to a text.
    fn leaves_out(&self, text: &TextHash) -> bool {
        self.unwanted.contains(text) && !self.wanted.contains_key(text)
    }
}

/// The texts an entry points to, each with the entity it says something of.
fn pointed_to(entry: &Entry) -> impl Iterator<Item = (TextHash, EntityRef)> {
    let of = |fact: &Fact| -> Vec<(TextHash, EntityRef)> {
        texts_of(&fact.event).into_iter().map(|hash| (hash.clone(), fact.entity.clone())).collect()
    };
    entry.facts.iter().flat_map(of)
}

/// The work of one transaction.
struct Intake<'t, 'e, 'j> {
    tx: &'t mut WriteTx<'e>,
    hub: i64,
    head: Head,
    before: Head,
    horizon: i64,
    judged: &'j mut Judged,
    coverage: &'j Coverage,
    claims: BTreeMap<OriginId, Claim>,
    gate: Gate,
    changed: bool,
}

/// What is known around one place of an origin.
#[derive(Default)]
struct Neighbours {
    before: Option<String>,
    here: Option<String>,
    /// What the entry after it says of the one before itself.
    after_expects: Option<String>,
}

impl<'t, 'e, 'j> Intake<'t, 'e, 'j> {
    fn begin(
        tx: &'t mut WriteTx<'e>,
        hub: i64,
        wall_us: i64,
        (coverage, judged): (&'j Coverage, &'j mut Judged),
    ) -> Result<Self, StoreError> {
        let head = log::hold_head(tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let known = replicas::all(tx, hub)?;
        let mut claims: BTreeMap<OriginId, Claim> =
            known.iter().map(|replica| (replica.origin.clone(), replica.claim())).collect();
        claims.entry(head.origin.clone()).or_insert(Claim::Own(None));
        let (before, horizon) = (head.clone(), horizon(wall_us));
        let gate = Gate::load(tx, hub)?;
        Ok(Self { tx, hub, before, head, horizon, judged, coverage, claims, gate, changed: false })
    }

    /// Whether a line may be taken in, as far as signatures say.
    fn admit(&self, place: &str, entry: &Entry, line: &Line) -> Option<TakeInProblem> {
        let (place, origin, oseq) = (place.to_owned(), entry.envelope.origin.clone(), entry.envelope.oseq);
        let claim = self.claims.get(&origin).copied().unwrap_or(Claim::Unsigned);
        match admit(claim, self.coverage, &origin, oseq, &line.hash) {
            Ok(()) => None,
            Err(Unproven::NotOurs) => Some(TakeInProblem::NotOurs { place, oseq }),
            Err(Unproven::Unsigned) => Some(TakeInProblem::Unsigned { place, origin, oseq }),
        }
    }

    /// A replica that was not known is noted with its first entry.
    fn meet(&mut self, origin: &OriginId) -> Result<(), StoreError> {
        if !self.claims.contains_key(origin) {
            replicas::meet(self.tx, self.hub, origin, Standing::New)?;
            self.claims.insert(origin.clone(), Claim::Unsigned);
        }
        Ok(())
    }

    /// Pins the keys of replicas that signed for the first time, and keeps newer seals.
    fn learn(&mut self) -> Result<(), StoreError> {
        let learned = replicas::learn(self.tx, self.hub, self.coverage)?;
        self.changed |= learned.changed;
        let pinned = learned.heirs;
        for (origin, pinned, found) in learned.rivals {
            let (pinned, found) = (pinned.fingerprint(), found.fingerprint());
            self.problem(TakeInProblem::OtherKey { origin, pinned, found });
        }
        let mut again: BTreeSet<OriginId> = pinned.into_iter().collect();
        again.extend(successors(self.tx, self.hub, &self.judged.peopled)?);
        for origin in again {
            refold_replica(self.tx, self.hub, &origin)?;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), StoreError> {
        let due = self.tx.query(
            "SELECT seq, line, origin, oseq FROM entries WHERE hub = $1 AND held = 1 AND at <= $2
             ORDER BY at, origin, oseq",
            &params![self.hub, self.horizon],
        )?;
        for row in &due {
            let entry = match Entry::read(row.text(1)?) {
                Ok(entry) => entry,
                // It goes on waiting; the others do not wait for it.
                Err(why) => {
                    let origin = OriginId::parse(row.text(2)?).map_err(log::bad)?;
                    self.problem(TakeInProblem::Stored { origin, oseq: row.int(3)?, why });
                    continue;
                }
            };
            // What counted here before, and was found to be from the future, has its place.
            let here = row.int(0)?;
            let seq = if here > 0 { here } else { self.head.seq + 1 };
            self.tx.execute(
                "UPDATE entries SET seq = $1, held = 0 WHERE hub = $2 AND seq = $3",
                &params![seq, self.hub, here],
            )?;
            self.apply(seq, &entry)?;
            self.judged.answer.released += 1;
        }
        Ok(())
    }

    fn line(&mut self, place: &str, entry: Entry, line: &Line) -> Result<(), StoreError> {
        let (origin, oseq) = (entry.envelope.origin.clone(), entry.envelope.oseq);
        let known = match self.neighbours(&origin, oseq)? {
            Ok(known) => known,
            Err(problem) => {
                self.problem(problem);
                self.judged.stopped.insert(origin);
                return Ok(());
            }
        };
        if known.here.as_ref() == Some(&line.hash) {
            self.judged.wanted.extend(pointed_to(&entry));
            self.judged.answer.known += 1;
            return Ok(());
        }
        if self.judged.stopped.contains(&origin) {
            self.leave_out(&entry);
            self.judged.answer.skipped += 1;
            return Ok(());
        }
        let problem = self.admit(place, &entry, line).or_else(|| self.judge(place, &entry, line, &known));
        if let Some(problem) = problem {
            self.leave_out(&entry);
            self.problem(problem);
            self.judged.stopped.insert(origin);
            return Ok(());
        }
        self.judged.wanted.extend(pointed_to(&entry));
        self.meet(&origin)?;
        if origin == self.head.origin {
            self.head.oseq = oseq;
            self.head.prev.clone_from(&line.hash);
        }
        if known.after_expects.is_some() && correct::is_overruled(self.tx, self.hub, &entry.envelope)? {
            let seq = next_waiting_place(self.tx, self.hub)?;
            insert_foreign(self.tx, self.hub, Stored { seq, entry, held: true }, line)?;
            correct::overrule_at(self.tx, self.hub, seq)?;
            self.judged.answer.new += 1;
            self.changed = true;
            return Ok(());
        }
        if entry.envelope.at > self.horizon {
            let seq = next_waiting_place(self.tx, self.hub)?;
            insert_foreign(self.tx, self.hub, Stored { seq, entry, held: true }, line)?;
            self.judged.answer.held += 1;
            self.changed = true;
            return Ok(());
        }
        let seq = self.head.seq + 1;
        let stored = insert_foreign(self.tx, self.hub, Stored { seq, entry, held: false }, line)?;
        self.apply(seq, &stored.entry)?;
        self.judged.answer.new += 1;
        Ok(())
    }

    /// Told once, however many transactions meet it.
    fn problem(&mut self, problem: TakeInProblem) {
        if !self.judged.answer.problems.contains(&problem) {
            self.judged.answer.problems.push(problem);
        }
    }

    /// Texts of what is left out are left out with it, unless something else needs them.
    fn leave_out(&mut self, entry: &Entry) {
        self.judged.unwanted.extend(pointed_to(entry).map(|(hash, _)| hash));
    }

    /// A place that lies between known ones is a gap that damage left; it may be filled when both sides fit.
    fn judge(&self, place: &str, entry: &Entry, line: &Line, known: &Neighbours) -> Option<TakeInProblem> {
        let (place, origin, oseq) = (place.to_owned(), entry.envelope.origin.clone(), entry.envelope.oseq);
        // What this replica wrote before its database was put back to an older state comes back where it follows.
        if origin == self.head.origin {
            let follows = oseq == self.head.oseq + 1 && entry.envelope.prev == self.head.prev;
            return (!follows).then_some(TakeInProblem::Forked { place, origin, oseq });
        }
        if known.here.is_some() {
            return Some(TakeInProblem::Fork { place, origin, oseq });
        }
        if let Some(hub) = hub_of(entry).filter(|hub| hub.as_str() != self.head.hub_id) {
            return Some(TakeInProblem::OtherHub { place, origin, hub: hub.clone() });
        }
        let expected = match (&known.before, oseq) {
            (_, 1) => GENESIS,
            (Some(before), _) => before,
            (None, _) => {
                return Some(TakeInProblem::Gap { place, origin, oseq, missing: oseq.saturating_sub(1) });
            }
        };
        let fits_after = known.after_expects.as_ref().is_none_or(|prev| *prev == line.hash);
        let fits = oseq >= 1 && entry.envelope.prev == expected && fits_after;
        (!fits).then_some(TakeInProblem::Broken { place, origin, oseq })
    }

    /// What is stored around a place; a damaged line there is a problem of its origin, not of everybody.
    fn neighbours(
        &mut self,
        origin: &OriginId,
        oseq: i64,
    ) -> Result<Result<Neighbours, TakeInProblem>, StoreError> {
        let rows = self.tx.query(
            "SELECT oseq, line FROM entries WHERE hub = $1 AND origin = $2 AND oseq >= $3 AND oseq <= $4",
            &params![self.hub, origin.as_str(), oseq.saturating_sub(1), oseq.saturating_add(1)],
        )?;
        let mut known = Neighbours::default();
        for row in &rows {
            let (at, text) = (row.int(0)?, row.text(1)?);
            let stored = Line::verify(text).and_then(|line| Ok((line.entry()?, line)));
            let (entry, line) = match stored {
                Ok(stored) => stored,
                Err(why) => {
                    return Ok(Err(TakeInProblem::Stored { origin: origin.clone(), oseq: at, why }));
                }
            };
            match at.cmp(&oseq) {
                Ordering::Less => known.before = Some(line.hash),
                Ordering::Equal => known.here = Some(line.hash),
                Ordering::Greater => known.after_expects = Some(entry.envelope.prev),
            }
        }
        Ok(Ok(known))
    }

    fn apply(&mut self, seq: i64, entry: &Entry) -> Result<(), StoreError> {
        let stamp = Stamp::from(&entry.envelope);
        for (n, fact) in entry.facts.iter().enumerate() {
            if views::apply_foreign(self.tx, self.hub, &mut self.gate, (seq, n), fact, &stamp)? {
                settle_texts(self.tx, self.hub, fact)?;
            }
            if says_who_lives_there(fact) {
                self.judged.peopled.insert(entry.envelope.origin.clone());
            }
        }
        self.head.seq = self.head.seq.max(seq);
        self.head.last_at = self.head.last_at.max(entry.envelope.at);
        if let Some(last_at) = correct::overruled_by(self.tx, self.hub, entry)? {
            (self.judged.refold, self.changed, self.head.last_at) = (true, true, last_at);
        }
        Ok(())
    }

    /// A purge wins, whether it came before the text or comes after it.
    fn text(&mut self, text: &StoredText) -> Result<(), StoreError> {
        if !self.judged.leaves_out(&text.hash) && !is_purged(self.tx, self.hub, &text.hash)? {
            let added = log::insert_text(self.tx, self.hub, text)?;
            if added > 0
                && let Some(found) = secrets::first(&text.text)
            {
                held::note(self.tx, self.hub, &text.hash, found.kind, self.judged.wanted.get(&text.hash))?;
            }
            self.judged.answer.texts += added;
            self.changed |= added > 0;
        }
        Ok(())
    }

    /// Writes the head; says whether there is anything to commit.
    fn finish(self) -> Result<bool, StoreError> {
        let Self { tx, hub, head, before, changed, .. } = self;
        if head != before {
            tx.execute(
                "UPDATE hubs SET seq = $1, last_at = $2, oseq = $3, prev = $4 WHERE hub = $5",
                &params![head.seq, head.last_at, head.oseq, &head.prev, hub],
            )?;
        }
        Ok(changed || head != before)
    }
}
