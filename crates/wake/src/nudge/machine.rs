//! The protocol by which a line is typed, without a terminal: what was seen goes in, what to do comes out.
//!
//! Every key is decided by a look of that very moment. Enter and backspace come only when that look showed exactly our line,
//! with the cursor at its end, in a pane that still passes its gates.

use std::time::Duration;

use super::outcome::{Outcome, Reason};
use crate::screen::{Held, Seen};

/// No output and no key for so long before anything is typed.
pub const QUIET: Duration = Duration::from_secs(3);
/// Between two looks before typing.
pub const BETWEEN_LOOKS: Duration = Duration::from_millis(750);
/// After a submit, whoever made it.
pub const AFTER_SUBMIT: Duration = Duration::from_millis(1500);
/// A permission notice holds everything back for so long.
pub const AFTER_NOTICE: Duration = Duration::from_secs(300);
/// From typing to the first look, and from there to Enter.
pub const BEFORE_ENTER: Duration = Duration::from_millis(300);
/// Between the looks after Enter: at 250, 500 and 750 ms.
pub const AFTER_ENTER: Duration = Duration::from_millis(250);

/// How often a client that still draws is looked at again before Enter.
const PATIENCE_LOOKS: u8 = 6;
/// How often a composer is looked at after Enter.
const LOOKS_AFTER_ENTER: u8 = 3;
/// How often a screen that can't be read is looked at again after Enter: what a client draws for a command may take its time.
const UNREAD_LOOKS: u8 = 12;
/// How often Enter is pressed.
const ENTERS: u8 = 3;

/// What was seen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// When, since the attempt began.
    pub at: Duration,
    /// What forbids any key: of the process and the pane.
    pub gate: Result<(), Reason>,
    /// What forbids to begin: of the hooks and the person.
    pub calm: Result<(), Reason>,
    /// The screen as a whole.
    pub seen: Seen,
    /// What the composer holds, also while the client works; none where there is no composer.
    pub composer: Option<Held>,
    /// Differs whenever the part of the screen that matters does.
    pub print: u64,
    /// For how long no program has written to the terminal, as tmux recorded it; zero where it did not.
    pub still: Duration,
}

/// What to do next; after each but the last a new view is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Look again after this time.
    Wait(Duration),
    /// Type the line, and look after this time.
    Type(Duration),
    /// Press Enter, and look after this time.
    Enter(Duration),
    /// Remove the line, character by character, and look after this time.
    TakeBack(Duration),
    /// It is over.
    End(Outcome),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Since when the screen is as it was first seen.
    Watching(Option<(Duration, u64)>),
    /// Typed; so many looks waited for the whole of it.
    Drawing(u8),
    /// Exactly our line was seen once, after so many looks.
    Drawn(u8),
    /// Enter was pressed so often, and looked so often since.
    Entered { enters: u8, looks: u8 },
    /// Backspaces were pressed.
    TakenBack,
}

/// One attempt.
#[derive(Clone, Debug)]
pub struct Machine {
    line: String,
    /// A line of an earlier attempt that was cut off before Enter: where it stands in the composer it is gone on with.
    left: Option<String>,
    stage: Stage,
}

impl Machine {
    /// Begins an attempt with a line. `left` is what an earlier one may have left there.
    pub fn new(line: &str, left: Option<&str>) -> Self {
        Self { line: line.to_owned(), left: left.map(str::to_owned), stage: Stage::Watching(None) }
    }

    /// The line that is typed, or gone on with.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Nothing was typed so far.
    pub fn is_watching(&self) -> bool {
        matches!(self.stage, Stage::Watching(_))
    }

    /// What to do after a look.
    pub fn step(&mut self, view: &View) -> Act {
        match (self.stage, view.gate) {
            (Stage::Watching(_), Err(reason)) => Act::End(Outcome::NotSafe(reason)),
            (Stage::Watching(since), Ok(())) => self.watch(view, since),
            (_, Err(reason)) => Act::End(Outcome::Stranded(reason)),
            (Stage::Drawing(looks), Ok(())) => self.drawing(view, looks),
            (Stage::Drawn(looks), Ok(())) => self.drawn(view, looks),
            (Stage::Entered { enters, looks }, Ok(())) => self.entered(view, enters, looks),
            (Stage::TakenBack, Ok(())) => Act::End(match &view.composer {
                Some(Held::Nothing) => Outcome::Removed,
                _ => Outcome::Stranded(why_not_ours(view)),
            }),
        }
    }

    fn watch(&mut self, view: &View, since: Option<(Duration, u64)>) -> Act {
        let refused = |reason| Act::End(Outcome::NotSafe(reason));
        if let Err(reason) = view.calm {
            return refused(reason);
        }
        let left = self.left.as_ref().filter(|left| view.composer.as_ref().is_some_and(|held| held.is(left)));
        match &view.seen {
            Seen::Composer(Held::Nothing) => {}
            Seen::Composer(_) if left.is_some() => {}
            Seen::Composer(_) => return refused(Reason::Typed),
            Seen::Busy => return refused(Reason::Works),
            Seen::Dialog => return refused(Reason::Dialog),
            Seen::Unknown => return refused(Reason::UnknownScreen),
        }
        match since {
            None => {
                self.stage = Stage::Watching(Some((view.at, view.print)));
                Act::Wait(BETWEEN_LOOKS)
            }
            Some((_, print)) if print != view.print => refused(Reason::Output),
            // Two looks always, and three quiet seconds: watched by us, or recorded by tmux before we began.
            Some((began, _)) if view.at.saturating_sub(began).max(view.still) < QUIET => {
                Act::Wait(BETWEEN_LOOKS)
            }
            Some(_) => match left {
                Some(left) => {
                    self.line = left.clone();
                    self.stage = Stage::Entered { enters: 1, looks: 0 };
                    Act::Enter(AFTER_ENTER)
                }
                None => {
                    self.stage = Stage::Drawing(0);
                    Act::Type(BEFORE_ENTER)
                }
            },
        }
    }

    fn drawing(&mut self, view: &View, looks: u8) -> Act {
        if self.is_ours(view) {
            self.stage = Stage::Drawn(looks);
            return Act::Wait(BEFORE_ENTER);
        }
        self.wait_for_it(view, looks)
    }

    fn drawn(&mut self, view: &View, looks: u8) -> Act {
        if !self.is_ours(view) {
            return self.wait_for_it(view, looks);
        }
        if view.seen == Seen::Busy {
            // It began to work by itself: it needs no nudge, and finds none in its way.
            self.stage = Stage::TakenBack;
            return Act::TakeBack(BEFORE_ENTER);
        }
        self.stage = Stage::Entered { enters: 1, looks: 0 };
        Act::Enter(AFTER_ENTER)
    }

    /// A client that is busy elsewhere, or in the middle of drawing, is waited for. What somebody else put there is not.
    fn wait_for_it(&mut self, view: &View, looks: u8) -> Act {
        let is_drawing = view.composer.as_ref().is_none_or(|held| held.begins(&self.line));
        if view.seen == Seen::Dialog || !is_drawing {
            return Act::End(Outcome::Stranded(why_not_ours(view)));
        }
        if looks >= PATIENCE_LOOKS {
            return Act::End(Outcome::Stranded(match view.composer {
                Some(_) => Reason::NotShown,
                None => Reason::UnknownScreen,
            }));
        }
        self.stage = Stage::Drawing(looks + 1);
        Act::Wait(BEFORE_ENTER)
    }

    fn entered(&mut self, view: &View, enters: u8, looks: u8) -> Act {
        let looks = looks + 1;
        if self.is_ours(view) {
            return self.still_there(enters, looks);
        }
        match &view.composer {
            // Gone from an empty composer, or from one in which a person has begun to type: it was taken.
            Some(held) if !self.is_mixed(held) => Act::End(Outcome::Submitted),
            Some(_) => Act::End(Outcome::Stranded(Reason::Typed)),
            // The turn that began asks something.
            None if view.seen == Seen::Dialog => Act::End(Outcome::Submitted),
            None if looks >= UNREAD_LOOKS => Act::End(Outcome::Stranded(Reason::UnknownScreen)),
            None => {
                self.stage = Stage::Entered { enters, looks };
                Act::Wait(AFTER_ENTER)
            }
        }
    }

    /// Enter did nothing so far.
    fn still_there(&mut self, enters: u8, looks: u8) -> Act {
        if looks < LOOKS_AFTER_ENTER {
            self.stage = Stage::Entered { enters, looks };
            return Act::Wait(AFTER_ENTER);
        }
        if enters < ENTERS {
            self.stage = Stage::Entered { enters: enters + 1, looks: 0 };
            return Act::Enter(AFTER_ENTER);
        }
        self.stage = Stage::TakenBack;
        Act::TakeBack(BEFORE_ENTER)
    }

    /// Exactly our line stands in the composer, and no question is open.
    fn is_ours(&self, view: &View) -> bool {
        view.seen != Seen::Dialog && view.composer.as_ref().is_some_and(|held| held.is(&self.line))
    }

    /// Our line stands there with something a person added.
    fn is_mixed(&self, held: &Held) -> bool {
        let letters = |text: &str| text.chars().filter(|symbol| *symbol != ' ').collect::<String>();
        match held {
            Held::Nothing => false,
            Held::Edited => true,
            Held::Text(lines) => letters(&lines.concat()).contains(&letters(&self.line)),
        }
    }
}

fn why_not_ours(view: &View) -> Reason {
    match &view.composer {
        _ if view.seen == Seen::Dialog => Reason::Dialog,
        Some(_) => Reason::Typed,
        None => Reason::UnknownScreen,
    }
}

#[cfg(test)]
mod tests;
