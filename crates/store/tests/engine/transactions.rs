//! Transactions as values, typed rows, and the statements that are refused.

use interagent_store::{Engine, ErrorKind, Queryable, ReadTx, Row, StoreError, Value, WriteTx, params};

use crate::support::{Store, add, count, count_in};

#[test]
fn a_dropped_write_rolls_back_and_frees_the_gate() {
    let store = Store::made();
    let (mut first, mut second) = (store.existing(), store.existing());
    let mut tx = WriteTx::begin(&mut first).unwrap();
    tx.execute("INSERT INTO notes (body) VALUES ($1)", &params!["gone"]).unwrap();
    assert_eq!(count_in(&mut tx), 1);
    drop(tx);
    add(&mut second, "kept").unwrap();
    assert_eq!(count(&mut first), 1);
}

#[test]
fn a_refused_row_leaves_nothing_open() {
    let store = Store::made();
    let (mut first, mut second) = (store.existing(), store.existing());
    add(&mut first, "once").unwrap();
    assert!(matches!(add(&mut first, "once"), Err(StoreError::Constraint { .. })));
    add(&mut second, "twice").unwrap();
    add(&mut first, "thrice").unwrap();
    assert_eq!(count(&mut second), 3);
}

#[test]
fn a_read_sees_one_state_throughout() {
    let store = Store::made();
    let (mut reader, mut writer) = (store.existing(), store.existing());
    let mut tx = ReadTx::begin(&mut reader).unwrap();
    assert_eq!(count_in(&mut tx), 0);
    add(&mut writer, "later").unwrap();
    assert_eq!(count_in(&mut tx), 0);
    tx.commit().unwrap();
    assert_eq!(count(&mut reader), 1);
}

#[test]
fn a_full_disk_ends_the_transaction_and_nothing_of_it_is_kept() {
    let store = Store::made();
    let (mut engine, mut other) = (store.existing(), store.existing());
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    tx.query("PRAGMA max_page_count=10", &[]).unwrap();
    let error = (0..100)
        .find_map(|number| {
            let body = format!("{number}{}", "x".repeat(4096));
            tx.execute("INSERT INTO notes (body) VALUES ($1)", &params![body]).err()
        })
        .expect("ten pages hold no hundred texts");
    assert_eq!(error.kind(), ErrorKind::Full);
    // SQLite may have rolled back by itself; then a further statement must not be committed on its own.
    let after = tx.execute("INSERT INTO notes (body) VALUES ($1)", &params!["after"]);
    if after.is_err() {
        tx.commit().unwrap_err();
    } else {
        drop(tx);
    }
    add(&mut other, "free again").unwrap();
    assert_eq!(count(&mut other), 1);
}

#[test]
fn writing_needs_a_write_transaction() {
    let store = Store::made();
    let mut engine = store.existing();
    let mut tx = ReadTx::begin(&mut engine).unwrap();
    let sneaky = tx.query("INSERT INTO notes (body) VALUES ('x') RETURNING id", &[]).unwrap_err();
    assert_eq!(sneaky.kind(), ErrorKind::Internal);
    drop(tx);
    assert!(engine.execute("DELETE FROM notes", &[]).is_err());
    assert!(engine.commit().is_err());
    engine.begin_read().unwrap();
    assert!(engine.begin_write().is_err());
    engine.rollback().unwrap();
    add(&mut engine, "fine").unwrap();
}

#[test]
fn parameters_must_be_numbered_by_appearance_and_complete() {
    let store = Store::made();
    let mut engine = store.existing();
    let mut tx = ReadTx::begin(&mut engine).unwrap();
    assert!(tx.query("SELECT $2, $1", &params![1_i64, 2_i64]).is_err());
    assert!(tx.query("SELECT $1, $2", &params![1_i64]).is_err());
    let row = tx.query_first("SELECT $1, $2, $1", &params!["a", None::<i64>]).unwrap().unwrap();
    assert_eq!(row, Row::new(vec!["a".into(), Value::Null, "a".into()]));
}

#[test]
fn a_wrong_type_in_a_row_is_an_error_with_its_column() {
    let store = Store::made();
    let mut engine = store.existing();
    let mut tx = ReadTx::begin(&mut engine).unwrap();
    let row = tx.query_first("SELECT 'text', 7, NULL", &[]).unwrap().unwrap();
    assert_eq!((row.text(0).unwrap(), row.int(1).unwrap()), ("text", 7));
    assert_eq!((row.opt_text(2).unwrap(), row.opt_int(2).unwrap()), (None, None));
    for wrong in [row.int(0).err(), row.text(1).err(), row.text(2).err(), row.int(9).err()] {
        assert_eq!(wrong.unwrap().kind(), ErrorKind::Damaged);
    }
    for foreign in ["SELECT 1.5", "SELECT x'00'", "SELECT CAST(x'ff' AS TEXT)"] {
        assert_eq!(tx.query(foreign, &[]).unwrap_err().kind(), ErrorKind::Damaged, "{foreign}");
    }
}

#[test]
fn values_convert_from_plain_types() {
    let all = params![1_i64, 2_u32, true, "s", String::from("t"), &String::from("u"), Some(3_i64)];
    assert_eq!(all[1], Value::Int(2));
    assert_eq!(all[2], Value::Int(1));
    assert_eq!(all[6], Value::Int(3));
    assert_eq!(params![], [] as [Value; 0]);
}
