//! Secrets that are known by what stands around them: tokens of two parts, command lines, files of logins.

use super::{Look, SecretKind, Suspicion, begins_word, is_placeholder, run, variety};

/// A word that begins at this place and what it opens.
pub(super) fn credential(text: &[u8], at: usize) -> Look {
    if text[at].is_ascii_digit() {
        return telegram_token(text, at);
    }
    if !begins_word(text, at) {
        return Look::Nothing;
    }
    match text[at] {
        b'L' => encoded_private_key(text, at),
        b'M' | b'N' | b'O' => discord_token(text, at),
        b'c' => curl_login(text, at),
        b'm' => netrc_line(text, at),
        _ => Look::Nothing,
    }
}

fn is_base64_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// `123456789:AA...`: the id of a bot and 35 characters. In an address it stands behind `bot`.
fn telegram_token(text: &[u8], at: usize) -> Look {
    const SECRET: usize = 35;
    if !begins_word(text, at) && !text[..at].ends_with(b"bot") {
        return Look::Nothing;
    }
    let id = run(text, at, 11, |byte| byte.is_ascii_digit());
    let begin = at + id + 1;
    if !(8..=10).contains(&id) || text.get(at + id) != Some(&b':') || !text[begin..].starts_with(b"AA") {
        return Look::Nothing;
    }
    let length = run(text, begin, SECRET + 1, is_base64_url);
    let secret = &text[begin..begin + length];
    if length != SECRET || variety(secret) < 12 || is_placeholder(secret) {
        return Look::Nothing;
    }
    Look::Found(Suspicion { kind: SecretKind::CloudToken, place: at..begin + length })
}

/// Three parts with dots between them; the first one is a number in base64.
fn discord_token(text: &[u8], at: usize) -> Look {
    let id = run(text, at, 28, is_base64_url);
    let stamp = at + id + 1;
    if !(22..=27).contains(&id) || !text[at..at + id].chunks_exact(4).all(is_encoded_digits) {
        return Look::Nothing;
    }
    let secret = stamp + 7;
    let is_dot = |place: usize| text.get(place) == Some(&b'.');
    if !is_dot(stamp - 1) || !is_dot(secret - 1) || run(text, stamp, 7, is_base64_url) != 6 {
        return Look::Nothing;
    }
    let length = run(text, secret, 40, is_base64_url);
    if !(27..=38).contains(&length) || variety(&text[secret..secret + length]) < 12 {
        return Look::Nothing;
    }
    Look::Found(Suspicion { kind: SecretKind::CloudToken, place: at..secret + length })
}

/// Whether four characters of base64 are three digits.
fn is_encoded_digits(four: &[u8]) -> bool {
    matches!(four, [b'M' | b'N' | b'O', b'D' | b'T' | b'j' | b'z', _, b'w'..=b'z' | b'0'..=b'5'])
}

/// The base64 of a private key's file, as in `client-key-data` of a kubeconfig. That of a certificate is none.
fn encoded_private_key(text: &[u8], at: usize) -> Look {
    const OPENS: &[u8] = b"LS0tLS1CRUdJTi";
    const LEAST: usize = 64;
    const LONGEST: usize = 16 * 1024;
    if !text[at..].starts_with(OPENS) {
        return Look::Nothing;
    }
    let length =
        run(text, at, LONGEST, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let body = &text[at..at + length];
    let is_key = length >= LEAST && variety(body) > 12 && {
        let label = decoded(&body[..LEAST]);
        label.windows(11).any(|part| part == b"PRIVATE KEY")
    };
    match is_key {
        true => Look::Found(Suspicion { kind: SecretKind::PrivateKey, place: at..at + length }),
        false => Look::Harmless(at + length),
    }
}

/// The bytes of whole groups of base64.
fn decoded(base64: &[u8]) -> Vec<u8> {
    let sextet = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes = |four: &[u8]| {
        let bits = four.iter().fold(0_u32, |bits, byte| (bits << 6) | u32::from(sextet(*byte)));
        let [_, first, second, third] = bits.to_be_bytes();
        [first, second, third]
    };
    base64.chunks_exact(4).flat_map(bytes).collect()
}

/// `curl -u name:password`.
fn curl_login(text: &[u8], at: usize) -> Look {
    const WITHIN: usize = 400;
    let Some(line) = text[at..].strip_prefix(b"curl") else { return Look::Nothing };
    if !line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
        return Look::Nothing;
    }
    let end = text.len().min(at + WITHIN);
    let mut place = at + 4;
    let (mut is_login, mut may_be_value, mut quote) = (false, false, None);
    while let Some((from, to)) = next_word(text, place, end) {
        // A command ends with its line, unless the line goes on below.
        let between = &text[place..from];
        if between.contains(&b'\n') && !text[..from].trim_ascii_end().ends_with(b"\\") {
            return Look::Nothing;
        }
        let word = &text[from..to];
        place = to;
        // A value in quotation marks may have several words.
        let marks = |mark: u8| word.iter().filter(|byte| **byte == mark).count();
        if let Some(open) = quote {
            quote = (marks(open) % 2 == 0).then_some(open);
            continue;
        }
        // Where a word is neither an option, its value nor an address, a sentence or another command goes on.
        let is_option = word.starts_with(b"-");
        let is_address = word.iter().any(|byte| matches!(byte, b'/' | b'.' | b'$')) && !word.ends_with(b";");
        if !is_option && !may_be_value && !is_address && word != b"\\" {
            return Look::Nothing;
        }
        quote = [b'"', b'\''].into_iter().find(|mark| marks(*mark) % 2 == 1);
        let glued = usize::from(!is_login && word.starts_with(b"-u") && word.contains(&b':')) * 2;
        if (is_login || glued > 0)
            && let Some(secret) = login(text, from + glued, to)
        {
            return Look::Found(secret);
        }
        let is_short = word.len() > 1
            && word[0] == b'-'
            && word[1..].iter().all(u8::is_ascii_alphabetic)
            && word.last().is_some_and(|last| matches!(last, b'u' | b'U'));
        is_login = is_short || word == b"--user" || word == b"--proxy-user";
        may_be_value = is_option;
    }
    Look::Nothing
}

/// A name and a password in one word, perhaps in quotation marks.
fn login(text: &[u8], from: usize, to: usize) -> Option<Suspicion> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let from = from + usize::from(text[from..to].first().is_some_and(is_quote));
    let length = run(text, from, to - from, |byte| !is_quote(&byte));
    let pair = &text[from..from + length];
    let colon = pair.iter().position(|byte| *byte == b':')?;
    let (name, password) = (&pair[..colon], &pair[colon + 1..]);
    // In a sentence, a comma or dot may follow.
    let ends = password.iter().rev().take_while(|byte| matches!(byte, b',' | b'.' | b';' | b')')).count();
    let bare = &password[..password.len() - ends];
    let is_secret = !name.is_empty() && name != bare && is_password(bare);
    is_secret.then(|| Suspicion { kind: SecretKind::Password, place: from + colon + 1..from + length })
}

/// `machine HOST login NAME password PASSWORD`, on one line or several.
fn netrc_line(text: &[u8], at: usize) -> Look {
    const WITHIN: usize = 400;
    const WORDS: usize = 8;
    let end = text.len().min(at + WITHIN);
    let mut place = at;
    let mut words = [(0, 0); WORDS];
    let mut count = 0;
    while count < WORDS
        && let Some((from, to)) = next_word(text, place, end)
    {
        if count == 0 && &text[from..to] != b"machine" {
            return Look::Nothing;
        }
        words[count] = (from, to);
        (place, count) = (to, count + 1);
    }
    let word = |at: usize| words[..count].get(at).map(|(from, to)| &text[*from..*to]).unwrap_or_default();
    // A host tells a file of logins from a sentence about machines.
    let is_host = word(1).contains(&b'.') || word(1) == b"localhost";
    let has_login = [2, 4].into_iter().any(|at| word(at) == b"login");
    let Some(at) = [2, 4, 6].into_iter().find(|at| word(*at) == b"password") else { return Look::Nothing };
    if !is_host || !has_login || !is_password(word(at + 1)) {
        return Look::Nothing;
    }
    let (from, to) = words[at + 1];
    Look::Found(Suspicion { kind: SecretKind::Password, place: from..to })
}

/// The next word before a place.
fn next_word(text: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let begin = from + text[from..end].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let length = text[begin..end].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    // Prose may go on directly behind it.
    Some((begin, begin + length))
}

/// Whether somebody would type this as a password: no variable, no placeholder, no word for one.
fn is_password(word: &[u8]) -> bool {
    const LEAST: usize = 4;
    const NAMES: [&[u8]; 12] = [
        b"password",
        b"passwd",
        b"pass",
        b"secret",
        b"token",
        b"pwd",
        b"user",
        b"key",
        b"root",
        b"admin",
        b"test",
        b"api_token",
    ];
    let lower = word.to_ascii_lowercase();
    word.len() >= LEAST
        && word.iter().all(u8::is_ascii_graphic)
        && !word.iter().any(|byte| matches!(byte, b'$' | b'{' | b'}' | b'<' | b'>' | b'[' | b']' | b'*'))
        && !word.starts_with(b"%")
        && !NAMES.contains(&lower.as_slice())
        && variety(word) >= 3
        && !is_placeholder(word)
}
