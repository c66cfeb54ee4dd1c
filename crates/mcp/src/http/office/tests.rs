//! Rooms: whose they are, who gives way, and what is ended with them.

use std::time::Duration;

use interagent_operations::{Hub, WaitFor, Waited};
use interagent_wire::answer::{ChangedView, IdentityView, Who};
use interagent_wire::{Answer, Reply, Request, SCHEMA};

use super::*;
use crate::hub::Resident;
use crate::ledger::{Brings, Handed};

/// A hub that notes what it is asked for.
struct Noting(Arc<Mutex<Vec<&'static str>>>);

impl Hub for Noting {
    fn call(&mut self, _: &Caller, request: Request) -> Result<Reply, Refusal> {
        lock(&self.0).push(request.name());
        let answer = match request {
            Request::Whoami(_) => kimi(),
            _ => ChangedView { changed: Vec::new(), unchanged: Vec::new() }.into(),
        };
        let (effects, notes) = (Vec::new(), Vec::new());
        Ok(Reply { schema: SCHEMA, seq: 0, answer, effects, unchanged: None, notes })
    }

    fn wait(&mut self, _: &Caller, _: &WaitFor, _: Duration) -> Result<Waited, Refusal> {
        Ok(Waited::TimeOver)
    }
}

impl Resident for Noting {
    fn upkeep(&mut self) {}
}

fn kimi() -> Answer {
    IdentityView {
        member: Some(Who { id: "agt-1".to_owned(), name: "kimi".to_owned(), replica: None }),
        actor: None,
        auth: None,
        how: String::new(),
        facts: Vec::new(),
        hub: String::new(),
        origin: String::new(),
        alias: String::new(),
        place: None,
    }
    .into()
}

fn office() -> Office {
    let door = || Err(Refusal::unavailable("nothing", "there is no hub in this test"));
    Office::new(Arc::new(door), Facts::default(), CancellationToken::new())
}

fn guest(number: u8) -> Guest {
    let token = Token::from_bits([number; 32]);
    Guest { hash: token.hash().text(), token }
}

fn key(id: &str) -> Key {
    Key::Session(id.into())
}

fn loose(number: usize) -> Key {
    Key::Loose(guest(1).hash, number)
}

fn abandoned(office: &Office) -> Vec<Key> {
    let mut gone: Vec<Key> =
        office.abandoned(Instant::now() + IDLE).into_iter().map(|vacated| vacated.key).collect();
    gone.sort_by_key(|key| format!("{key:?}"));
    gone
}

/// Who gives way for one more session of a guest.
fn gives_way(office: &Office, number: u8) -> Result<Option<Key>, &'static str> {
    office.place(&guest(number)).map(|vacated| vacated.map(|vacated| vacated.key))
}

#[test]
fn a_session_is_there_only_for_the_token_that_opened_it() {
    let office = office();
    drop(office.open(key("s"), &guest(1)));
    assert!(office.session("s", &guest(1)).is_some());
    assert!(office.session("s", &guest(2)).is_none());
    office.leave(&key("s"));
    assert!(office.session("s", &guest(1)).is_none());
}

#[test]
fn what_nobody_uses_is_given_up_and_what_somebody_uses_is_not() {
    let office = office();
    let stay = office.open(key("used"), &guest(1));
    drop(office.open(key("idle"), &guest(1)));
    drop(office.loose(&guest(1)));
    assert!(office.abandoned(Instant::now()).is_empty());
    assert_eq!(abandoned(&office), [loose(0), key("idle")]);
    assert!(office.session("idle", &guest(1)).is_none(), "nobody finds it from then on");
    drop(stay);
    assert_eq!(abandoned(&office), [key("used")]);
}

#[test]
fn calls_at_the_same_time_have_desks_of_their_own() {
    let office = office();
    let [one, other] = [office.loose(&guest(1)), office.loose(&guest(1))];
    assert!(!Arc::ptr_eq(&one.room, &other.room), "or both could take one message");
    let first = one.room.clone();
    drop(one);
    assert!(Arc::ptr_eq(&office.loose(&guest(1)).room, &first), "those after one another share one");
    drop(other);
    assert_eq!(abandoned(&office), [loose(0), loose(1)]);
}

#[test]
fn there_is_an_end_to_the_sessions_of_one() {
    let office = office();
    let mut stays = Vec::new();
    for number in 0..SESSIONS_OF_ONE {
        assert_eq!(gives_way(&office, 1), Ok(None));
        stays.push(office.open(key(&format!("own-{number}")), &guest(1)));
    }
    assert!(gives_way(&office, 1).is_err(), "all of them are in use");
    stays.remove(3);
    assert_eq!(gives_way(&office, 1), Ok(Some(key("own-3"))));
    assert!(office.session("own-3", &guest(1)).is_none(), "nobody finds it from then on");
    assert_eq!(gives_way(&office, 2), Ok(None));
}

#[test]
fn there_is_an_end_to_all_sessions_and_the_idle_ones_give_way() {
    let office = office();
    let mut stays: Vec<Stay> =
        (0..SESSIONS).map(|number| office.open(key(&format!("s-{number}")), &guest(3))).collect();
    assert!(gives_way(&office, 2).is_err(), "all of them are in use");
    drop(stays.remove(7));
    drop(stays.remove(4));
    assert_eq!(gives_way(&office, 2), Ok(Some(key("s-7"))), "it was idle longest, whoever's it is");
    assert_eq!(gives_way(&office, 2), Ok(None), "now there is room");
}

#[test]
fn what_was_written_is_confirmed_also_when_the_server_ends_at_once() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = asked.clone();
    let door = move || Ok(Box::new(Noting(noted.clone())) as Box<dyn Resident>);
    let office = Office::new(Arc::new(door), Facts::default(), CancellationToken::new());
    let stay = office.open(key("s"), &guest(1));
    let handed = Handed { caller: Caller::default(), brings: Brings::Offered(vec!["msg-1".to_owned()]) };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // Its last byte is written, and nothing that was begun then gets its turn.
    runtime.block_on(async { stay.room.ledger.clone().written(handed) });
    runtime.shutdown_background();
    assert_eq!(*lock(&asked), [""; 0]);
    office.close();
    assert_eq!(*lock(&asked), ["offer.confirm"]);
}

#[test]
fn a_call_that_outlives_its_session_binds_nothing() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = asked.clone();
    let door = move || Ok(Box::new(Noting(noted.clone())) as Box<dyn Resident>);
    let office = Office::new(Arc::new(door), Facts::default(), CancellationToken::new());
    let desk = office.open(key("s"), &guest(1)).room.desk.clone();
    office.leave(&key("s"));
    let refused = desk.connection.caller(&desk.hubs, None, None).unwrap_err();
    assert_eq!(refused.code, "session_ended");
    assert!(!lock(&asked).contains(&"session.bind"));
}
