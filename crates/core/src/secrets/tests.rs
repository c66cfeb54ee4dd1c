//! Examples of secrets and of what only looks like one. Secrets are put together here, so that no scanner of other
//! people stumbles over this file.

use proptest::prelude::*;

use super::*;

/// Characters by chance, the same ones each time.
fn random(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            letters[usize::try_from(state % letters.len() as u64).unwrap()]
        })
        .collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

fn private_key(label: &str) -> String {
    let lines: Vec<String> = (0..4).map(|n| random(ALNUM, 64 - n)).collect();
    format!("-----BEGIN {label}PRIVATE KEY-----\n{}\n-----END {label}PRIVATE KEY-----", lines.join("\n"))
}

/// A secret of every kind, and more than one shape of some.
fn secrets() -> Vec<(SecretKind, String)> {
    let jwt = format!("eyJ{}.eyJ{}.{}", random(ALNUM, 33), random(ALNUM, 60), random(ALNUM, 43));
    let mut found = vec![
        (SecretKind::PrivateKey, private_key("")),
        (SecretKind::PrivateKey, private_key("OPENSSH ")),
        (SecretKind::PrivateKey, private_key("RSA ").replace('\n', "\\n")),
        (SecretKind::PrivateKey, format!("AGE-SECRET-KEY-1{}", random(UPPER, 58))),
        (SecretKind::AwsKey, format!("AKIA{}", random(UPPER, 16))),
        (SecretKind::AwsKey, format!("aws_secret_access_key = {}", random(ALNUM, 40))),
        (SecretKind::GoogleKey, format!("AIza{}", random(ALNUM, 35))),
        (SecretKind::AzureKey, format!("AccountName=x;AccountKey={}==", random(ALNUM, 86))),
        (SecretKind::CloudToken, format!("dop_v1_{}", random(HEX, 64))),
        (SecretKind::GithubToken, format!("ghp_{}", random(ALNUM, 36))),
        (SecretKind::GithubToken, format!("github_pat_{}_{}", random(ALNUM, 22), random(ALNUM, 59))),
        (SecretKind::GitlabToken, format!("glpat-{}", random(ALNUM, 20))),
        (SecretKind::SlackToken, format!("xoxb-{}-{}", random("0123456789", 12), random(ALNUM, 24))),
        (
            SecretKind::SlackToken,
            format!(
                "https://hooks.slack.com/services/T{}/B{}/{}",
                random(UPPER, 10),
                random(UPPER, 10),
                random(ALNUM, 24)
            ),
        ),
        (SecretKind::NpmToken, format!("npm_{}", random(ALNUM, 36))),
        (SecretKind::PypiToken, format!("pypi-AgEIcHlwaS5vcmc{}", random(ALNUM, 150))),
        (SecretKind::RegistryToken, format!("cio{}", random(ALNUM, 32))),
        (SecretKind::OpenaiKey, format!("sk-{}", random(ALNUM, 48))),
        (SecretKind::OpenaiKey, format!("sk-proj-{}", random(ALNUM, 120))),
        (SecretKind::AnthropicKey, format!("sk-ant-api03-{}-AA", random(ALNUM, 90))),
        (SecretKind::ModelKey, format!("hf_{}", random(ALNUM, 34))),
        (SecretKind::ModelKey, format!("xai-{}", random(ALNUM, 80))),
        (SecretKind::ModelKey, format!("pplx-{}", random(ALNUM, 48))),
        (SecretKind::ModelKey, format!("r8_{}", random(ALNUM, 37))),
        (SecretKind::Password, format!("Authorization: Bearer {}", random(ALNUM, 40))),
        (SecretKind::PaymentKey, format!("sk_live_{}", random(ALNUM, 24))),
        (SecretKind::JsonWebToken, jwt),
        (SecretKind::UrlPassword, format!("postgres://app:{}@db.internal:5432/app", random(ALNUM, 12))),
        (SecretKind::UrlPassword, "https://kim:s3cr%40t!@git.example.org/x.git".to_owned()),
    ];
    for assigned in
        ["password = 'V'", "\"api_key\": \"V\"", "API_TOKEN=V", "client_secret := \"V\"", "auth-token: V"]
    {
        found.push((SecretKind::Password, assigned.replace('V', &random(ALNUM, 24))));
    }
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (assigned, alphabet) in [
        ("secret: V", LETTERS),
        ("api_key: V", LETTERS),
        ("api_key: \"V\"", "abcdefghijklmnopqrstuvwxyz"),
        ("API key: 'V'", ALNUM),
        ("**Secret:** V", ALNUM),
        ("`SECRET_KEY`: V", ALNUM),
    ] {
        found.push((SecretKind::Password, assigned.replace('V', &random(alphabet, 32))));
    }
    found.push((SecretKind::Password, "DB_PASSWORD=\"Tr0ub4dor&3x\"".to_owned()));
    found.extend(services());
    found
}

/// Tokens of services, and logins that are known by what stands around them.
fn services() -> Vec<(SecretKind, String)> {
    let bot = format!("123456789:AA{}", random(ALNUM, 33));
    let hook = format!("/api/webhooks/{}/{}", random("123456789", 18), random(ALNUM, 68));
    let discord = format!(
        "{}.{}.{}",
        ["MTE3NDYw", "MjM5OTg2", "NzQ1MzQ0"].concat(),
        random(ALNUM, 6),
        random(ALNUM, 38)
    );
    let password = random(ALNUM, 14);
    // `-----BEGIN RSA PRIVATE KEY-----`, encoded.
    let pem =
        format!("{}FJJVkFURSBLRVktLS0tLQpN{}", ["LS0tLS1C", "RUdJTiBSU0EgU"].concat(), random(ALNUM, 400));
    let mut found = vec![
        (SecretKind::CloudToken, format!("iat_{}", random(HEX, 64))),
        (
            SecretKind::CloudToken,
            crate::token::Token::from_bits(*b"0123456789abcdefghijklmnopqrstuv").reveal().to_owned(),
        ),
        (SecretKind::CloudToken, format!("https://api.telegram.org/bot{bot}/getMe")),
        (SecretKind::CloudToken, bot),
        (SecretKind::CloudToken, format!("SK{}", random(HEX, 32))),
        (SecretKind::CloudToken, discord),
        (SecretKind::CloudToken, format!("https://discord.com{hook}")),
        (SecretKind::CloudToken, format!("https://discordapp.com{hook}")),
        (SecretKind::PrivateKey, format!("client-key-data: {pem}")),
        (SecretKind::PrivateKey, pem),
    ];
    for line in [
        "machine git.example.org login kim password V",
        "machine git.example.org\n  login kim\n  password V",
        "curl -u kim:V https://api.example.org/v1",
        "curl -sS --user 'kim:V' https://api.example.org/v1",
        "curl -X POST \\\n  -u \"kim:V\" https://api.example.org/v1",
        "curl -ukim:V x.org",
        "curl -H 'Content-Type: application/json; charset=utf-8' -d \"a b\" -u kim:V x.org",
    ] {
        found.push((SecretKind::Password, line.replace('V', &password)));
    }
    found
}

#[test]
fn every_kind_is_found_alone_and_in_a_text() {
    for (kind, secret) in secrets() {
        for text in [
            secret.clone(),
            format!("Use this one:\n\n    {secret}\n\nand tell nobody."),
            format!("`{secret}`"),
            format!("é{secret}"),
        ] {
            let found = first(&text).unwrap_or_else(|| panic!("missed: {text}"));
            assert_eq!(found.kind, kind, "{text}");
            assert!(text.get(found.place.clone()).is_some(), "{text}");
        }
    }
    let found: std::collections::BTreeSet<&str> = secrets().iter().map(|(kind, _)| kind.as_str()).collect();
    for kind in <SecretKind as crate::words::Word>::ALL {
        assert!(found.contains(kind.as_str()), "no example of {}", kind.as_str());
    }
}

#[test]
fn value_on_next_line_is_found() {
    for line in [
        "password:\n  V",
        "password:\n\n    V",
        "Database password:\r\n`V`",
        "**API key:**\n\n```\nV\n```",
        "api_key: |\n  V",
        "client_secret =\nV",
    ] {
        for secret in [line.replace('V', &random(ALNUM, 14)), line.replace('V', "Tr0ub4dor+3x")] {
            for text in
                [secret.clone(), format!("Use this:\n\n{secret}\n\nand tell nobody."), format!("- {secret}")]
            {
                let found = first(&text).unwrap_or_else(|| panic!("missed: {text}"));
                assert_eq!(found.kind, SecretKind::Password, "{text}");
            }
        }
    }
}

#[test]
fn a_token_is_found_where_it_is_glued_to_a_name_or_a_letter() {
    let token = format!("ghp_{}", random(ALNUM, 36));
    for text in
        [format!("x_{token}"), format!("MY_KEY_{token}"), format!("-p{token}"), format!("one\\n{token}")]
    {
        let found = first(&text).unwrap_or_else(|| panic!("missed: {text}"));
        assert_eq!(&text[found.place], token);
    }
}

#[test]
fn what_only_looks_like_a_secret_is_none() {
    let (sha1, sha256) = (random(HEX, 40), random(HEX, 64));
    let image = format!("![x](data:image/png;base64,iVBORw0KGgo{})", random(ALNUM, 4000));
    let made = [
        format!("merged {sha1} into main"),
        format!("sha256:{sha256}"),
        format!("checksum = \"{sha256}\""),
        format!("ghp_{}", "x".repeat(36)),
        format!("AKIA{}EXAMPLE", random(UPPER, 9)),
        format!("ghp_{}", random(ALNUM, 20)),
        format!("AKIA{}", random(UPPER, 30)),
        format!("prefixghp_{}", random(ALNUM, 36)),
        format!("branch ask-{}", random(HEX, 40)),
        format!("https://hooks.slack.com/services/T00000000/B00000000/{}", "X".repeat(24)),
        image,
    ];
    let written = [
        "see msg-7k2m9q4x1c8v and task-0123456789ab, org-7k2m9q4x1c8v",
        "token: msg-7k2m9q4x1c8v",
        "id 0190f3c4-5b2a-7c3d-8e4f-123456789abc",
        "token = 0190f3c4-5b2a-7c3d-8e4f-123456789abc",
        "the password is checked in auth.rs:42, the token: see 1Password",
        "password: String, token: Option<Base64Token2>, secret: SecretKind",
        "let token = parse_token2(&input)?; let secret = config.secret2;",
        "password = os.environ['DB_PASSWORD']",
        "API_KEY=${API_KEY} TOKEN=$TOKEN2 SECRET={{ secrets.NPM_TOKEN_2 }}",
        "password=<your password here> api_key=\"YOUR-API-KEY-123\" token=xxxxxxxxxxxx12",
        "postgres://postgres:postgres@localhost/db and https://user:password@host/ and redis://u:$PASS@h/0",
        "https://example.org:8080/a@b?token=abc and ssh://git@host.org/x",
        "max_tokens = 4096, total_tokens: 12345678901234567890",
        "secret_name = my-super-secret-name-2",
        "passphrase = correct horse battery staple",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "eyJ is how a token begins; eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0. has no signature",
        "sk-estimators-and-other-things-of-the-library",
        "token_file = /run/secrets/db_token_2026",
        "std::sync::Arc<Token>, secret::v2::Key2, ya29 steps, npm_config_registry",
        "secret: refs/heads/release-2026.11",
        "secret: InternationalCommunicationAuthority, token = AuthenticationTokenProviderFactory",
        "iat_ begins a token of ours: iat_0123, iat_token, `iat_…`, and that is no",
        "the bot has the id 123456789: AAA batteries, 12345678:AA, 10:30:AAxyz",
        "SKIP, SK-1234, SKU 0123456789abcdef0123456789abcdef and SKexample",
        "MTE3.NDYw.MjM5 and Monday.Notice.On the discord.com/api/webhooks/ page",
        "https://discord.com/api/webhooks/ID/TOKEN and https://discord.com/channels/123456789012345678/123456789012345678",
        "a machine learning login page with password reset; machine a.b login form",
        "machine example.org login USER password PASSWORD and machine host login me password <yours>",
        "curl -u user:password https://x.org and curl -u $USER:$PASS and curl -u \"$U:${P}\" and curl -u kim https://u:8080/",
        "curl https://x.org -o a:b, curl -u admin:admin, then use curl again -u",
        "curl the API, then run `docker run -u app:staff9 img`, or curl x.org; docker run -u app:staff9 img",
        "curl https://x.org | sudo -u app:staff9 tee x && curl x.org && docker run -u app:staff9 img",
        "curl -fsSL https://x.org/install.sh | sh -u name:value1",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJWjRjOEw5",
        "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJQklqQU5CZ2txaGtpRzl3MEJBUUVGQUFPQ0FROEFNSUlCQ2dLQ0FRRUE",
        "LS0tLS1CRUdJTi is how the base64 of a PEM begins",
        "password:\n  is asked for twice, then\n  checked",
        "The tests of the password:\n\n- crates/core/src/auth2/check3.rs\n- it works",
        "token:\n  kind: String\n  value: Option<Base64Token2>",
        "Change the secret:\n\n    interagent agent token kimi",
        "password: |\n  see 1Password\ntoken:\n\n\nNext section",
        "tokens:\nmsg-7k2m9q4x1c8v\nsecret:\nrefs/heads/release-2026.11\npassword:\n$DB_PASSWORD2",
        "https://api.slack.com/messaging/webhooks and hooks.slack.com/services/TEAM/BOT/SECRET",
        "",
    ];
    for text in made.iter().map(String::as_str).chain(written) {
        assert_eq!(first(text), None, "{text}");
    }
}

#[test]
fn all_finds_each_once_and_shows_little() {
    let (one, two) = (format!("ghp_{}", random(ALNUM, 36)), format!("npm_{}", random(ALNUM, 36)));
    let text = format!("{one} and {two}");
    let found = all(&text, 20);
    assert_eq!(found.iter().map(|found| &text[found.place.clone()]).collect::<Vec<_>>(), [&one, &two]);
    assert_eq!(all(&text, 1).len(), 1);
    assert_eq!(masked(&one), "ghp_… (40 characters)");
    assert_eq!(veiled(&text), "ghp_… (40 characters) and npm_… (40 characters)");
    assert_eq!(masked("ab"), "… (2 characters)");
    assert_eq!(placeholder(SecretKind::GithubToken), "[held back: looks like a GitHub token]");
}

/// The steps of a scan grow with the text, whatever it is made of: with its square they would take longer than the runner
/// lets a test run.
#[test]
fn a_hostile_text_is_read_in_linear_time() {
    for piece in [
        "sk-",
        "sk-ant-",
        "token=",
        "token:\"",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:c@",
        "eyJ.eyJ",
        "eyJ",
        "=",
        "ghp_a",
        "github_pat_",
        "hooks.slack.com/services/T/",
        "password = ",
        "password:\n",
        "curl -u ",
        "curl a ",
        "machine ",
        "machine a.b login c ",
        "12345678:AA",
        "LS0tLS1CRUdJTi",
        "MDwwMDww",
        "discord.com/api/webhooks/",
    ] {
        let text = piece.repeat(limits_bytes() / piece.len());
        assert!(all(&text, 20).len() <= 20, "{piece}");
    }
}

fn limits_bytes() -> usize {
    crate::limits::BODY_BYTES
}

proptest! {
    #[test]
    fn any_text_is_read_without_trouble(text in any::<String>()) {
        for found in all(&text, 50) {
            prop_assert!(text.get(found.place.clone()).is_some_and(|part| !part.is_empty()));
        }
    }

    #[test]
    fn pieces_of_secrets_are_read_without_trouble(
        pieces in prop::collection::vec(prop_oneof![
            Just("-----BEGIN "), Just("PRIVATE KEY"), Just("-----"), Just("eyJ"), Just("."), Just("://"), Just("u:pw1@h"),
            Just("token"), Just("="), Just("\""), Just("ghp_"), Just("sk-ant-"), Just("é"), Just("\n"), Just("Ab3xY9"), Just("%40"),
        ], 0..40)
    ) {
        let text = pieces.concat();
        let found = all(&text, 50);
        prop_assert!(found.iter().all(|found| text.get(found.place.clone()).is_some()));
        prop_assert_eq!(first(&text), found.into_iter().next());
    }

    #[test]
    fn words_and_numbers_are_no_secrets(words in prop::collection::vec("[a-z]{1,12}|[0-9]{1,9}|[A-Z][a-z]{2,9}", 0..60)) {
        prop_assert_eq!(first(&words.join(" ")), None);
    }

    #[test]
    fn a_secret_is_found_whatever_stands_around_it(
        before in "[ -~\n]{0,40}[ \n(>]",
        after in "([ \n][ -~]{0,40})?",
        which in 0..secrets().len(),
    ) {
        let (_, secret) = &secrets()[which];
        let text = format!("{before}{secret}{after}");
        prop_assert!(first(&text).is_some(), "{}", text);
    }
}
