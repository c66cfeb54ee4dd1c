//! Values on their way into and out of SQLite.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Statement, ToSql};

use crate::engine::{Row, Value};
use crate::error::StoreError;

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// Reads a row; anything but a text, an integer or nothing was not written by us.
pub(crate) fn read_row(row: &rusqlite::Row<'_>, columns: usize) -> Result<Row, StoreError> {
    (0..columns)
        .map(|column| {
            let wrong = |found| StoreError::WrongColumn { column, expected: "a text or an integer", found };
            match row.get_ref(column) {
                Ok(ValueRef::Null) => Ok(Value::Null),
                Ok(ValueRef::Integer(number)) => Ok(Value::Int(number)),
                Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes)
                    .map(|text| Value::Text(text.to_owned()))
                    .map_err(|_| wrong("bytes that are no text")),
                Ok(ValueRef::Real(_)) => Err(wrong("a fraction")),
                Ok(ValueRef::Blob(_)) => Err(wrong("bytes")),
                Err(_) => Err(wrong("no such column")),
            }
        })
        .collect::<Result<_, _>>()
        .map(Row::new)
}

/// SQLite numbers `$n` by first appearance, PostgreSQL by the number: they must agree. Checked in debug
/// builds, where every statement runs at least once in a test.
pub(crate) fn require_numbering(statement: &Statement<'_>, sql: &'static str) -> Result<(), StoreError> {
    if cfg!(debug_assertions) {
        for index in 1..=statement.parameter_count() {
            if statement.parameter_name(index) != Some(format!("${index}").as_str()) {
                return Err(StoreError::internal(format!(
                    "parameters are not numbered by appearance: {sql}"
                )));
            }
        }
    }
    Ok(())
}
