//! Secrets that are known by their frame: private keys, JSON web tokens, addresses with a password.

use super::{Look, SecretKind, Suspicion, begins_word, is_placeholder, run, variety};

/// How far behind its first line the key itself must begin: some keys have a few lines of facts before it.
const KEY_WITHIN: usize = 400;
/// A line of a key has 64 characters; the last one may be shorter.
const KEY_RUN: usize = 40;

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn is_base64_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A private key with its first line. The line alone, as in a text about keys, is none.
pub(super) fn private_key(text: &[u8], at: usize) -> Look {
    const OPENS: &[u8] = b"-----BEGIN ";
    const LABEL: usize = 40;
    if !text[at..].starts_with(OPENS) {
        return Look::Nothing;
    }
    let label = at + OPENS.len();
    let length =
        run(text, label, LABEL, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let named = &text[label..label + length];
    let is_key = named.ends_with(b"PRIVATE KEY") || named.ends_with(b"PRIVATE KEY BLOCK");
    let behind = label + length;
    if !is_key || !text[behind..].starts_with(b"-----") {
        return Look::Harmless(behind);
    }
    let limit = text.len().min(behind + KEY_WITHIN);
    let mut next = behind + 5;
    // Where something else begins or the key ends, there was none.
    while next < limit && !text[next..].starts_with(b"-----") {
        let piece = run(text, next, KEY_RUN + 1, is_base64);
        if piece >= KEY_RUN && variety(&text[next..next + piece]) > 12 {
            return Look::Found(Suspicion { kind: SecretKind::PrivateKey, place: at..next + piece });
        }
        next += piece + 1;
    }
    Look::Harmless(limit)
}

/// A signed token: three parts, of which the first two are JSON.
pub(super) fn json_web_token(text: &[u8], at: usize) -> Look {
    const OPENS: &[u8] = b"eyJ";
    const LONGEST: usize = 16 * 1024;
    if !text[at..].starts_with(OPENS) {
        return Look::Nothing;
    }
    let header = at + run(text, at, LONGEST, is_base64_url);
    if text.get(header) != Some(&b'.') || !text[header + 1..].starts_with(OPENS) {
        return Look::Harmless(header);
    }
    let claims = header + 1 + run(text, header + 1, LONGEST, is_base64_url);
    if text.get(claims) != Some(&b'.') {
        return Look::Harmless(claims);
    }
    let signature = run(text, claims + 1, LONGEST, is_base64_url);
    let end = claims + 1 + signature;
    if signature < 20 || variety(&text[claims + 1..end]) < 10 {
        return Look::Harmless(end);
    }
    Look::Found(Suspicion { kind: SecretKind::JsonWebToken, place: at..end })
}

/// `scheme://name:password@host`, seen from the colon behind the scheme.
pub(super) fn url_password(text: &[u8], at: usize) -> Look {
    const LONGEST: usize = 256;
    if !text[at..].starts_with(b"://") || at == 0 || !text[at - 1].is_ascii_alphanumeric() {
        return Look::Nothing;
    }
    let begin = at + 3;
    let authority = run(text, begin, LONGEST, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'#' | b'?')
    });
    let part = &text[begin..begin + authority];
    let Some(host) = part.iter().rposition(|byte| *byte == b'@') else { return Look::Nothing };
    let Some(colon) = part[..host].iter().position(|byte| *byte == b':') else { return Look::Nothing };
    let (name, password) = (&part[..colon], &part[colon + 1..host]);
    let has_host = part.get(host + 1).is_some_and(u8::is_ascii_alphanumeric);
    if !has_host || password.len() < 4 || name == password || stands_for_another(password) {
        return Look::Harmless(begin + host);
    }
    let first = scheme(text, at);
    Look::Found(Suspicion { kind: SecretKind::UrlPassword, place: first..begin + host })
}

/// Where the scheme before its colon begins.
fn scheme(text: &[u8], colon: usize) -> usize {
    const LONGEST: usize = 20;
    let mut first = colon;
    while first > 0
        && colon - first < LONGEST
        && (text[first - 1].is_ascii_alphanumeric() || matches!(text[first - 1], b'+' | b'.'))
    {
        first -= 1;
    }
    if begins_word(text, first) { first } else { colon }
}

/// Whether what stands in a password's place is a name for it.
fn stands_for_another(password: &[u8]) -> bool {
    const NAMES: [&[u8]; 10] =
        [b"password", b"passwd", b"pass", b"secret", b"token", b"pwd", b"user", b"key", b"postgres", b"root"];
    let lower = password.to_ascii_lowercase();
    let is_variable =
        password.iter().any(|byte| matches!(byte, b'$' | b'{' | b'}' | b'%' | b'*' | b'[' | b']'));
    NAMES.contains(&lower.as_slice())
        || (is_variable && !has_hex_escape(password))
        || is_placeholder(password)
        || variety(password) < 3
}

/// `%40` and the like: a password with odd characters is written so in an address.
fn has_hex_escape(password: &[u8]) -> bool {
    password
        .windows(3)
        .any(|part| part[0] == b'%' && part[1].is_ascii_hexdigit() && part[2].is_ascii_hexdigit())
}
