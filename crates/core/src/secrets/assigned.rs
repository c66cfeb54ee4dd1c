//! `password = ...`: a value that looks random, given to something that is called like a secret.

use super::{Look, SecretKind, Suspicion, is_placeholder, run, variety};

/// A name is looked for so far before its sign.
const NAME_WITHIN: usize = 48;
/// Longer values are documents.
const LONGEST: usize = 200;

/// What names of secrets contain, in lower case and without separators.
const NAMES: [(&str, SecretKind); 17] = [
    ("awssecretaccesskey", SecretKind::AwsKey),
    ("awssessiontoken", SecretKind::AwsKey),
    ("accountkey", SecretKind::AzureKey),
    ("sharedaccesskey", SecretKind::AzureKey),
    ("authorization", SecretKind::Password),
    ("password", SecretKind::Password),
    ("passwd", SecretKind::Password),
    ("passphrase", SecretKind::Password),
    ("secret", SecretKind::Password),
    ("apikey", SecretKind::Password),
    ("secretkey", SecretKind::Password),
    ("signingkey", SecretKind::Password),
    ("encryptionkey", SecretKind::Password),
    ("accesskey", SecretKind::Password),
    ("authtoken", SecretKind::Password),
    ("accesstoken", SecretKind::Password),
    ("token", SecretKind::Password),
];

/// How a value was written down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Between quotation marks.
    Quoted,
    /// Behind `=`, as in a file of settings.
    Bare,
    /// Behind `:`, where programs write types and prose goes on.
    Spoken,
}

/// A value behind the sign at this place.
pub(super) fn value(text: &[u8], at: usize) -> Look {
    let Some(kind) = named(text, at) else { return Look::Nothing };
    let mut begin = at + 1;
    // `:=`, `==`, `=>`: the value stands behind the whole sign.
    begin += run(text, begin, 1, |byte| matches!(byte, b'=' | b'>'));
    // `**Secret:** ...`: bold ends behind the sign.
    begin += run(text, begin, 2, |byte| byte == b'*');
    begin += run(text, begin, 4, |byte| matches!(byte, b' ' | b'\t'));
    if let Some(line) = next_line(text, at, begin) {
        return below(text, at, kind, line);
    }
    // As a header of HTTP says it.
    let scheme =
        [&b"Bearer "[..], b"bearer ", b"Basic "].into_iter().find(|scheme| text[begin..].starts_with(scheme));
    begin += scheme.map_or(0, <[u8]>::len);
    let quote = text.get(begin).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let written = match quote {
        Some(_) => Written::Quoted,
        None if text[at] == b'=' => Written::Bare,
        None => Written::Spoken,
    };
    begin += usize::from(quote.is_some());
    let length = run(text, begin, LONGEST + 1, |byte| {
        byte.is_ascii_graphic()
            && !matches!(byte, b'"' | b'\'' | b'`')
            && (quote.is_some() || !matches!(byte, b',' | b';'))
    });
    let (end, value) = (begin + length, &text[begin..begin + length]);
    // A quoted value ends with its quotation mark; with a space in it, it is a sentence.
    let closed = quote.is_none_or(|quote| text.get(end) == Some(&quote));
    if closed && length <= LONGEST && looks_random(value, written) {
        return Look::Found(Suspicion { kind, place: begin..end });
    }
    // Not the whole value is passed over: it may hold a token of a shape of its own.
    Look::Nothing
}

/// Where the line below begins, if nothing stands behind the sign: blank lines, a fence and the `|` of YAML aside.
fn next_line(text: &[u8], sign: usize, mut at: usize) -> Option<usize> {
    const BLANKS: usize = 16;
    if text[sign] == b':' {
        let block = run(text, at, 1, |byte| matches!(byte, b'|' | b'>'));
        at += block + run(text, at + block, block, |byte| matches!(byte, b'-' | b'+'));
    }
    at += run(text, at, 4, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'*'));
    if text.get(at) != Some(&b'\n') {
        return None;
    }
    at += run(text, at, BLANKS, |byte| byte.is_ascii_whitespace());
    if text[at..].starts_with(b"```") {
        at += 3 + run(text, at + 3, BLANKS, |byte| byte.is_ascii_alphanumeric());
        at += run(text, at, BLANKS, |byte| byte.is_ascii_whitespace());
    }
    Some(at)
}

/// A value that has a line of its own below its name.
fn below(text: &[u8], sign: usize, kind: SecretKind, at: usize) -> Look {
    let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let begin = at + run(text, at, 1, is_quote);
    let length = run(text, begin, LONGEST + 1, |byte| byte.is_ascii_graphic() && !is_quote(byte));
    let end = begin + length;
    let behind = end + run(text, end, 3, is_quote);
    let behind = behind + run(text, behind, 4, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let is_alone = text.get(behind).is_none_or(|byte| *byte == b'\n');
    // The fewer words name it, the less a sentence goes on below.
    let line =
        text[sign.saturating_sub(NAME_WITHIN)..sign].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(4).count();
    let written = if words <= 3 { Written::Bare } else { Written::Spoken };
    match is_alone && length <= LONGEST && looks_random(&text[begin..end], written) {
        true => Look::Found(Suspicion { kind, place: begin..end }),
        false => Look::Nothing,
    }
}

/// What the name before the sign says that the value is. Asked at every colon of every text: it copies nothing.
fn named(text: &[u8], sign: usize) -> Option<SecretKind> {
    let before = text[sign.saturating_sub(NAME_WITHIN)..sign].trim_ascii_end();
    let before = before.strip_suffix(b":").unwrap_or(before);
    let before = [&b"\""[..], b"'", b"`", b"**"]
        .into_iter()
        .find_map(|mark| before.strip_suffix(mark))
        .unwrap_or(before);
    let last = before.last()?.to_ascii_lowercase();
    NAMES.iter().find(|(word, _)| ends_with(before, last, word.as_bytes())).map(|(_, kind)| *kind)
}

/// Whether a name ends with a word, or with several of it, separators and case aside.
fn ends_with(name: &[u8], last: u8, word: &[u8]) -> bool {
    if word.last() != Some(&last) && last != b's' {
        return false;
    }
    let name = if word.last() == Some(&last) { name } else { &name[..name.len() - 1] };
    let mut letters = name.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' '));
    word.iter().rev().all(|wanted| letters.next().is_some_and(|byte| byte.to_ascii_lowercase() == *wanted))
}

/// Whether a value was made by chance rather than by somebody who names things.
fn looks_random(value: &[u8], written: Written) -> bool {
    let least = if written == Written::Spoken { 16 } else { 10 };
    if value.len() < least
        || is_code(value, written)
        || is_placeholder(value)
        || is_uuid(value)
        || is_own_id(value)
    {
        return false;
    }
    if is_salad(value) {
        return true;
    }
    if is_words(value) {
        return false;
    }
    let count = |fits: fn(&u8) -> bool| value.iter().filter(|byte| fits(byte)).count();
    let (digits, lower, upper) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let signs = value.len() - digits - lower - upper;
    let kinds = [digits, lower, upper, signs].iter().filter(|count| **count > 0).count();
    let is_hex = value.len() >= 32 && value.iter().all(u8::is_ascii_hexdigit);
    // A name in a program has a digit at most at its end.
    let mixed =
        digits >= 2 && kinds >= 3 || is_hex || (digits >= 4 && lower + upper >= 8 && value.len() >= 16);
    let strong = written == Written::Quoted && digits >= 1 && kinds == 4;
    (mixed || strong) && variety(value) >= (value.len() / 2).min(10)
}

/// Variables, calls, types and paths.
fn is_code(value: &[u8], written: Written) -> bool {
    let is_type = written != Written::Quoted
        && value.iter().any(|byte| matches!(byte, b'<' | b'>' | b'[' | b'{' | b')' | b'&'));
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    is_type
        || value
            .first()
            .is_some_and(|byte| matches!(byte, b'$' | b'{' | b'<' | b'%' | b'(' | b'[' | b'&' | b'/' | b'~'))
        || has(b"(")
        || has(b"::")
        || has(b"://")
        || has(b"->")
        || has(b"${")
        || has(b"{{")
        || has(b"env.")
        || has(b"environ")
        || has(b"@@")
}

/// Words and numbers with something between them: the name of a thing, a version, a date.
fn is_words(value: &[u8]) -> bool {
    value.split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'@' | b'|')).all(|word| {
        let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let rest = &word[letters..];
        // `v2`, `kimi3`, `2026`; a few digits at the end of a word are a number of it.
        rest.is_empty() || (rest.len() <= 4 && rest.iter().all(u8::is_ascii_digit))
    })
}

/// Letters in one long row that nobody speaks: hardly a vowel, or capitals that begin no word.
fn is_salad(value: &[u8]) -> bool {
    const LEAST: usize = 24;
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if value.len() < LEAST || letters * 4 < value.len() * 3 || !value.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let vowels = value.iter().filter(|byte| b"aeiouAEIOU".contains(byte)).count();
    // Words in a name have a capital each and more than one small letter behind it.
    let odd_capitals = value
        .windows(3)
        .filter(|part| {
            part[0].is_ascii_uppercase() && part[1].is_ascii_lowercase() && part[2].is_ascii_uppercase()
        })
        .count();
    (vowels * 4 <= letters || odd_capitals >= 2) && variety(value) >= 10
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// An id of ours: a short word, a dash, twelve characters.
fn is_own_id(value: &[u8]) -> bool {
    const KINDS: [&[u8]; 9] = [b"msg", b"task", b"agt", b"rev", b"dec", b"lease", b"org", b"hub", b"note"];
    let Some(dash) = value.iter().position(|byte| *byte == b'-') else { return false };
    KINDS.contains(&&value[..dash])
        && value[dash + 1..].iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}
