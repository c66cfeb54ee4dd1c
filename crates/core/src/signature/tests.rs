//! Keys, seals and which lines they prove: a table and a property.

use proptest::prelude::*;

use super::*;

fn key(number: u8) -> SecretKey {
    SecretKey::from_seed([number; 32]).unwrap()
}

fn hub() -> HubId {
    HubId::from_bits(7)
}

fn origin(number: u64) -> OriginId {
    OriginId::from_bits(number)
}

/// The hash of entry `oseq` in a log that is told from others by a letter.
fn hash(log: char, oseq: i64) -> String {
    hex(&Sha256::digest(format!("{log}{oseq}")))
}

fn seal(signer: u8, log: char, oseq: i64) -> Seal {
    key(signer).seal(hub(), origin(1), oseq, hash(log, oseq))
}

/// Seals, and lines 1 to `last` of a log.
fn coverage(seals: impl IntoIterator<Item = Seal>, logs: &[(char, i64)]) -> Coverage {
    let mut coverage = Coverage::of(seals);
    for (log, last) in logs {
        (1..=*last).for_each(|oseq| coverage.add(&origin(1), oseq, &hash(*log, oseq), &hash(*log, oseq - 1)));
    }
    coverage.prove();
    coverage
}

#[test]
fn seal_is_valid_for_exactly_what_was_signed() {
    let good = seal(1, 'a', 5);
    assert!(good.is_valid());
    let other = |change: fn(&mut Seal)| {
        let mut seal = good.clone();
        change(&mut seal);
        seal
    };
    for wrong in [
        other(|seal| seal.hub = HubId::from_bits(8)),
        other(|seal| seal.origin = origin(2)),
        other(|seal| seal.oseq = 6),
        other(|seal| seal.hash = hash('b', 5)),
        other(|seal| seal.key = key(2).public()),
        other(|seal| seal.signature = super::tests::seal(1, 'a', 4).signature),
    ] {
        assert!(!wrong.is_valid(), "{wrong:?}");
    }
}

#[test]
fn seal_is_read_as_it_was_written() {
    let good = seal(1, 'a', 5);
    let text = serde_json::to_string(&good).unwrap();
    assert!(text.starts_with("{\"v\":1,\"hub\":\"hub-"), "{text}");
    assert_eq!(serde_json::from_str::<Seal>(&text).unwrap(), good);
    let newer = text.replacen("\"v\":1", "\"v\":2", 1);
    assert!(serde_json::from_str::<Seal>(&newer).is_err());
    let read = SecretKey::parse(&format!("{}\n", key(3).text())).unwrap();
    assert_eq!(read.public(), key(3).public());
    assert!(SecretKey::parse("not a key").is_err() && PublicKey::parse(&"zz".repeat(32)).is_err());
    assert!(!format!("{:?}", key(3)).contains(&key(3).text()), "no private key is printed");
}

#[test]
fn fingerprint_tells_keys_apart() {
    let one = key(1).public().fingerprint().to_string();
    assert_eq!((one.len(), one.matches('-').count()), (39, 7), "{one}");
    assert_ne!(one, key(2).public().fingerprint().to_string());
}

#[test]
fn only_what_the_right_key_signed_is_admitted() {
    use Claim::{Own, Pinned, Unsigned};
    let (ours, theirs) = (key(1).public(), key(2).public());
    let sealed_to_3 = coverage([seal(1, 'a', 3)], &[('a', 5)]);
    let no_seal = coverage([], &[('a', 5)]);
    let another_key = coverage([seal(2, 'a', 5)], &[('a', 5)]);
    let another_log = coverage([seal(1, 'a', 5)], &[('b', 5)]);
    for (claim, coverage, oseq, log, expected) in [
        (Own(Some(ours)), &sealed_to_3, 3, 'a', Ok(())),
        (Own(Some(ours)), &sealed_to_3, 1, 'a', Ok(())),
        (Own(Some(ours)), &sealed_to_3, 4, 'a', Err(Unproven::NotOurs)),
        (Own(Some(ours)), &sealed_to_3, 3, 'b', Err(Unproven::NotOurs)),
        (Own(Some(ours)), &no_seal, 3, 'a', Err(Unproven::NotOurs)),
        (Own(None), &sealed_to_3, 3, 'a', Err(Unproven::NotOurs)),
        (Own(Some(ours)), &another_key, 3, 'a', Err(Unproven::NotOurs)),
        (Pinned(ours), &sealed_to_3, 3, 'a', Ok(())),
        (Pinned(ours), &sealed_to_3, 4, 'a', Err(Unproven::Unsigned)),
        (Pinned(ours), &no_seal, 3, 'a', Err(Unproven::Unsigned)),
        (Pinned(ours), &another_key, 3, 'a', Err(Unproven::Unsigned)),
        (Pinned(ours), &another_log, 3, 'b', Err(Unproven::Unsigned)),
        (Pinned(theirs), &another_key, 3, 'a', Ok(())),
        // The first signature ends the unsigned history.
        (Unsigned, &no_seal, 3, 'a', Ok(())),
        (Unsigned, &sealed_to_3, 3, 'a', Ok(())),
        (Unsigned, &sealed_to_3, 4, 'a', Err(Unproven::Unsigned)),
        // A seal that fits to no line says nothing of these.
        (Unsigned, &another_log, 3, 'b', Ok(())),
    ] {
        let found = admit(claim, coverage, &origin(1), oseq, &hash(log, oseq));
        assert_eq!(found, expected, "{claim:?} {oseq} {log}");
    }
}

#[test]
fn both_parts_of_a_fork_are_proven() {
    let both = coverage([seal(1, 'a', 3), seal(1, 'b', 3)], &[('a', 3), ('b', 3)]);
    for log in ['a', 'b'] {
        assert!(both.covers(&origin(1), &key(1).public(), 2, &hash(log, 2)), "{log}");
    }
}

#[test]
fn first_key_is_the_one_that_proves_most() {
    let both = coverage([seal(1, 'a', 2), seal(2, 'a', 4)], &[('a', 5)]);
    assert_eq!(both.first_key(&origin(1)), Some(key(2).public()));
    assert_eq!(both.first_key(&origin(2)), None);
}

proptest! {
    /// Whatever is cut out, doubled or exchanged: a line is proven only where every line up to a seal is there.
    #[test]
    fn nothing_is_proven_across_a_gap(
        last in 1_i64..20, sealed in 1_i64..20, missing in 1_i64..20, forged in 1_i64..20, asked in 1_i64..20,
    ) {
        let mut coverage = Coverage::of([seal(1, 'a', sealed)]);
        for oseq in (1..=last).filter(|oseq| *oseq != missing) {
            coverage.add(&origin(1), oseq, &hash('a', oseq), &hash('a', oseq - 1));
        }
        coverage.add(&origin(1), forged, &hash('x', forged), &hash('a', forged - 1));
        coverage.prove();
        let reaches = asked <= sealed && sealed <= last && !(asked..=sealed).contains(&missing);
        prop_assert_eq!(coverage.covers(&origin(1), &key(1).public(), asked, &hash('a', asked)), reaches);
        prop_assert!(!coverage.covers(&origin(1), &key(1).public(), forged, &hash('x', forged)));
    }
}
