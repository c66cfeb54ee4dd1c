//! Tokens that say by their first characters what they are.

use super::{Look, SecretKind, Suspicion, is_placeholder, run, variety};

/// Longer runs are read in pieces of this length; no token is longer before its kind is clear.
const LONGEST: usize = 400;

/// What a token is made of behind its prefix.
#[derive(Clone, Copy)]
enum Made {
    /// Letters and digits.
    Alnum,
    /// Upper-case letters and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits and underscores.
    Word,
    /// Letters, digits, `_` and `-`.
    Base64Url,
    /// The same and dots.
    Dotted,
    /// Letters, digits and slashes.
    Path,
    /// The same, `_` and `-`.
    Hook,
}

impl Made {
    fn fits(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Base64Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Path => byte.is_ascii_alphanumeric() || byte == b'/',
            Self::Hook => byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-'),
        }
    }
}

/// One shape: how it begins, what follows, and how much of it at least and at most.
struct Shape(&'static str, Made, usize, usize, SecretKind);

/// Sorted by the first character; longer prefixes stand before shorter ones that begin alike.
const SHAPES: &[Shape] = &[
    Shape("AKIA", Made::Upper, 16, 16, SecretKind::AwsKey),
    Shape("ASIA", Made::Upper, 16, 16, SecretKind::AwsKey),
    Shape("ABIA", Made::Upper, 16, 16, SecretKind::AwsKey),
    Shape("ACCA", Made::Upper, 16, 16, SecretKind::AwsKey),
    Shape("AIza", Made::Base64Url, 35, 35, SecretKind::GoogleKey),
    Shape("AGE-SECRET-KEY-1", Made::Upper, 58, 58, SecretKind::PrivateKey),
    Shape("ATATT3", Made::Base64Url, 60, LONGEST, SecretKind::CloudToken),
    Shape("GOCSPX-", Made::Base64Url, 28, 28, SecretKind::GoogleKey),
    Shape("SG.", Made::Dotted, 60, 80, SecretKind::CloudToken),
    // An API key of Twilio.
    Shape("SK", Made::Hex, 32, 32, SecretKind::CloudToken),
    Shape("cio", Made::Alnum, 32, 32, SecretKind::RegistryToken),
    Shape("dapi", Made::Hex, 32, 32, SecretKind::CloudToken),
    // Whoever has the address of a hook may post.
    Shape("discord.com/api/webhooks/", Made::Hook, 78, 100, SecretKind::CloudToken),
    Shape("discord.com/api/v10/webhooks/", Made::Hook, 78, 100, SecretKind::CloudToken),
    Shape("discordapp.com/api/webhooks/", Made::Hook, 78, 100, SecretKind::CloudToken),
    Shape("dckr_pat_", Made::Base64Url, 27, 40, SecretKind::RegistryToken),
    Shape("dop_v1_", Made::Hex, 64, 64, SecretKind::CloudToken),
    Shape("ghp_", Made::Alnum, 36, 255, SecretKind::GithubToken),
    Shape("gho_", Made::Alnum, 36, 255, SecretKind::GithubToken),
    Shape("ghu_", Made::Alnum, 36, 255, SecretKind::GithubToken),
    Shape("ghs_", Made::Alnum, 36, 255, SecretKind::GithubToken),
    Shape("ghr_", Made::Alnum, 36, 255, SecretKind::GithubToken),
    Shape("github_pat_", Made::Word, 50, 255, SecretKind::GithubToken),
    Shape("glpat-", Made::Dotted, 20, LONGEST, SecretKind::GitlabToken),
    Shape("gldt-", Made::Base64Url, 20, LONGEST, SecretKind::GitlabToken),
    Shape("glrt-", Made::Dotted, 20, LONGEST, SecretKind::GitlabToken),
    Shape("glcbt-", Made::Base64Url, 20, LONGEST, SecretKind::GitlabToken),
    Shape("glptt-", Made::Base64Url, 40, LONGEST, SecretKind::GitlabToken),
    Shape("glsoat-", Made::Base64Url, 20, LONGEST, SecretKind::GitlabToken),
    Shape("gsk_", Made::Alnum, 40, 80, SecretKind::ModelKey),
    Shape("hf_", Made::Alnum, 34, 40, SecretKind::ModelKey),
    Shape("hooks.slack.com/services/T", Made::Path, 40, 80, SecretKind::SlackToken),
    Shape("hooks.slack.com/triggers/T", Made::Path, 40, 80, SecretKind::SlackToken),
    Shape("hooks.slack.com/workflows/T", Made::Path, 40, 80, SecretKind::SlackToken),
    Shape("hvs.", Made::Base64Url, 24, LONGEST, SecretKind::CloudToken),
    // Our own, which clients of the MCP server show.
    Shape("iat_", Made::Hex, 64, 64, SecretKind::CloudToken),
    Shape("lin_api_", Made::Alnum, 40, 40, SecretKind::CloudToken),
    Shape("npm_", Made::Alnum, 36, 36, SecretKind::NpmToken),
    Shape("pplx-", Made::Alnum, 40, 64, SecretKind::ModelKey),
    Shape("pypi-", Made::Base64Url, 60, LONGEST, SecretKind::PypiToken),
    Shape("r8_", Made::Alnum, 37, 40, SecretKind::ModelKey),
    Shape("rk_live_", Made::Alnum, 20, LONGEST, SecretKind::PaymentKey),
    Shape("shpat_", Made::Hex, 32, 32, SecretKind::PaymentKey),
    Shape("sk-ant-", Made::Base64Url, 32, LONGEST, SecretKind::AnthropicKey),
    Shape("sk-or-v1-", Made::Hex, 64, 64, SecretKind::ModelKey),
    Shape("sk-proj-", Made::Base64Url, 40, LONGEST, SecretKind::OpenaiKey),
    Shape("sk-svcacct-", Made::Base64Url, 40, LONGEST, SecretKind::OpenaiKey),
    Shape("sk-admin-", Made::Base64Url, 40, LONGEST, SecretKind::OpenaiKey),
    Shape("sk-", Made::Alnum, 32, 64, SecretKind::OpenaiKey),
    Shape("sk_live_", Made::Alnum, 20, LONGEST, SecretKind::PaymentKey),
    Shape("sk_test_", Made::Alnum, 20, LONGEST, SecretKind::PaymentKey),
    Shape("tskey-", Made::Base64Url, 24, LONGEST, SecretKind::CloudToken),
    Shape("whsec_", Made::Alnum, 32, 64, SecretKind::PaymentKey),
    Shape("xai-", Made::Alnum, 60, 100, SecretKind::ModelKey),
    Shape("xapp-", Made::Base64Url, 30, LONGEST, SecretKind::SlackToken),
    Shape("xoxa-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("xoxb-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("xoxe-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("xoxp-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("xoxr-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("xoxs-", Made::Base64Url, 24, LONGEST, SecretKind::SlackToken),
    Shape("ya29.", Made::Base64Url, 40, LONGEST, SecretKind::GoogleKey),
];

/// Where the shapes that begin with a byte stand: they are sorted by their first one.
const RANGES: [(usize, usize); 256] = {
    let mut ranges = [(0, 0); 256];
    let mut at = 0;
    while at < SHAPES.len() {
        let first = SHAPES[at].0.as_bytes()[0] as usize;
        if ranges[first].1 == 0 {
            ranges[first].0 = at;
        }
        ranges[first].1 = at + 1;
        at += 1;
    }
    ranges
};

/// Random tokens of `n` characters have at least about this many different ones.
fn least_variety(length: usize) -> usize {
    (length / 3).clamp(6, 12)
}

/// A token that begins here, by a prefix of at least so many characters.
pub(super) fn token(text: &[u8], at: usize, shortest: usize) -> Look {
    let (from, to) = RANGES[usize::from(text[at])];
    let rest = &text[at..];
    let fits = |shape: &&Shape| {
        let prefix = shape.0.as_bytes();
        // Most words end here, without a call.
        rest.get(1) == prefix.get(1) && prefix.len() >= shortest && rest.starts_with(prefix)
    };
    let Some(Shape(prefix, made, least, most, kind)) = SHAPES[from..to].iter().find(fits) else {
        return Look::Nothing;
    };
    let begin = at + prefix.len();
    // One more than allowed tells a longer word, which is something else.
    let length = run(text, begin, most + 1, |byte| made.fits(byte));
    if length < *least {
        return Look::Nothing;
    }
    let (end, body) = (begin + length, &text[begin..begin + length]);
    let exact = *most < LONGEST;
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_token = (!exact || length <= *most)
        && digits > 0
        && variety(body) >= least_variety(length)
        && !is_placeholder(body);
    if is_token { Look::Found(Suspicion { kind: *kind, place: at..end }) } else { Look::Harmless(end) }
}
