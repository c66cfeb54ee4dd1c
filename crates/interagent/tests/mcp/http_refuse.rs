//! What the HTTP server refuses: whatever a web page, another user or a broken client could send.

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::http::{Ask, HttpClient, HttpServer, token};

/// Changes a good request; the server's port is known.
type Change = fn(Ask, &str) -> Ask;

/// What is changed, and what comes of it: the status, and the code in the document.
type Row = (&'static str, Change, u16, &'static str);

const TABLE: &[Row] = &[
    // The host that was asked for.
    ("no host", |ask, _| ask.header("Host", ""), 421, "wrong_host"),
    (
        "a page whose name points here",
        |ask, port| ask.header("Host", &format!("evil.example:{port}")),
        421,
        "wrong_host",
    ),
    ("the host without its port", |ask, _| ask.header("Host", "127.0.0.1"), 421, "wrong_host"),
    ("another port", |ask, _| ask.header("Host", "127.0.0.1:1"), 421, "wrong_host"),
    (
        "a name that begins like ours",
        |ask, port| ask.header("Host", &format!("localhost.evil.example:{port}")),
        421,
        "wrong_host",
    ),
    (
        "a user in the host",
        |ask, port| ask.header("Host", &format!("evil@localhost:{port}")),
        421,
        "wrong_host",
    ),
    ("two hosts", |ask, _| ask.and("Host", "evil.example"), 421, "wrong_host"),
    (
        "another host in the address",
        |ask, _| ask.line("POST http://evil.example/mcp HTTP/1.1"),
        421,
        "wrong_host",
    ),
    // The page that sent it.
    ("a page", |ask, _| ask.header("Origin", "https://evil.example"), 403, "wrong_origin"),
    ("a page without an origin", |ask, _| ask.header("Origin", "null"), 403, "wrong_origin"),
    ("a page of another port", |ask, _| ask.header("Origin", "http://localhost:1"), 403, "wrong_origin"),
    (
        "a page over TLS",
        |ask, port| ask.header("Origin", &format!("https://localhost:{port}")),
        403,
        "wrong_origin",
    ),
    (
        "two origins",
        |ask, port| ask.and("Origin", &format!("http://localhost:{port}")).and("Origin", "x"),
        403,
        "wrong_origin",
    ),
    ("a form of another site", |ask, _| ask.header("Sec-Fetch-Site", "cross-site"), 403, "wrong_site"),
    ("a page of a neighbour", |ask, _| ask.header("Sec-Fetch-Site", "same-site"), 403, "wrong_site"),
    // Paths and methods.
    ("another path", |ask, _| ask.line("POST / HTTP/1.1"), 404, "no_such_path"),
    ("a path below", |ask, _| ask.line("POST /mcp/x HTTP/1.1"), 404, "no_such_path"),
    ("a path that is written otherwise", |ask, _| ask.line("POST //mcp HTTP/1.1"), 404, "no_such_path"),
    (
        "what OAuth looks for",
        |ask, _| ask.line("GET /.well-known/oauth-protected-resource HTTP/1.1"),
        404,
        "no_such_path",
    ),
    ("a preflight", |ask, _| ask.line("OPTIONS /mcp HTTP/1.1"), 405, "no_such_method"),
    ("PUT", |ask, _| ask.line("PUT /mcp HTTP/1.1"), 405, "no_such_method"),
    // Tokens.
    ("no token", |ask, _| ask.header("Authorization", ""), 401, "no_token"),
    ("another scheme", |ask, _| ask.header("Authorization", "Basic aTp0"), 401, "no_token"),
    ("an empty token", |ask, _| ask.header("Authorization", "Bearer "), 401, "no_token"),
    ("two tokens", |ask, _| ask.and("Authorization", "Bearer x"), 401, "no_token"),
    ("a wrong token", |ask, _| ask.header("Authorization", "Bearer iat_0000"), 401, "bad_token"),
    (
        "a token in the address",
        |ask, _| ask.line("POST /mcp?token=x HTTP/1.1").header("Authorization", ""),
        401,
        "no_token",
    ),
    (
        "a stream without a token",
        |ask, _| ask.line("GET /mcp HTTP/1.1").header("Authorization", ""),
        401,
        "no_token",
    ),
    (
        "an end without a token",
        |ask, _| ask.line("DELETE /mcp HTTP/1.1").header("Authorization", ""),
        401,
        "no_token",
    ),
    // Bodies.
    ("a form", |ask, _| ask.header("Content-Type", "application/x-www-form-urlencoded"), 415, "not_json"),
    ("plain text, as pages may send", |ask, _| ask.header("Content-Type", "text/plain"), 415, "not_json"),
    (
        "a kind that begins like ours",
        |ask, _| ask.header("Content-Type", "application/jsonx"),
        415,
        "not_json",
    ),
    ("no kind", |ask, _| ask.header("Content-Type", ""), 415, "not_json"),
    ("too long", |ask, _| ask.body(vec![b' '; 8 * 1024 * 1024 + 1]), 413, "too_long"),
    // What it takes for an answer.
    ("nothing that it accepts", |ask, _| ask.header("Accept", ""), 406, "not_accepted"),
    ("only documents", |ask, _| ask.header("Accept", "application/json"), 406, "not_accepted"),
    (
        "a stream that it does not accept",
        |ask, _| ask.line("GET /mcp HTTP/1.1").header("Accept", "text/html"),
        406,
        "not_accepted",
    ),
    // Sessions.
    ("a stream of no session", |ask, _| ask.line("GET /mcp HTTP/1.1"), 400, "bad_request"),
    ("an end of no session", |ask, _| ask.line("DELETE /mcp HTTP/1.1"), 400, "bad_request"),
    ("no such session", |ask, _| ask.header("Mcp-Session-Id", "0b7c"), 404, "no_such_session"),
    ("a session that is no text", |ask, _| ask.header("Mcp-Session-Id", "\u{e9}"), 404, "no_such_session"),
];

#[test]
fn whatever_is_not_an_agents_client_is_refused() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let port = server.address.rsplit(':').next().unwrap();
    for (what, change, status, code) in TABLE {
        let answer = change(Ask::new(&server.address, &kimi), port).send(&server.address);
        assert_eq!(answer.status, *status, "{what}: {answer:?}");
        let document = answer.document();
        assert_eq!(document["error"]["code"], *code, "{what}: {answer:?}");
        assert!(!document["error"]["sentence"].as_str().unwrap().is_empty(), "{what}");
        assert!(!answer.body.contains(&kimi), "{what}: the token is in the answer");
        let allows = answer.headers.iter().any(|(name, _)| name.starts_with("access-control-"));
        assert!(!allows, "{what}: {answer:?}");
        assert_eq!(answer.header("www-authenticate"), (*status == 401).then_some("Bearer"), "{what}");
    }
    // And nothing of it was done.
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
}

#[test]
fn what_comes_from_this_machine_is_let_in() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let port = server.address.rsplit(':').next().unwrap();
    let good: &[(&str, Change)] = &[
        ("as it is", |ask, _| ask),
        ("by name", |ask, port| ask.header("Host", &format!("LocalHost:{port}"))),
        ("by the other address", |ask, port| ask.header("Host", &format!("[::1]:{port}"))),
        ("from a page of ours", |ask, port| ask.header("Origin", &format!("http://127.0.0.1:{port}"))),
        ("typed by a person", |ask, _| ask.header("Sec-Fetch-Site", "none")),
        ("with a character set", |ask, _| ask.header("Content-Type", "application/json; charset=utf-8")),
        ("in small letters", |ask, _| {
            let token = ask.headers.iter().find(|(name, _)| name == "Authorization").unwrap().1.clone();
            ask.header("authorization", &token.replace("Bearer", "bearer"))
        }),
    ];
    for (what, change) in good {
        let answer = change(Ask::new(&server.address, &kimi), port).send(&server.address);
        assert_eq!(answer.status, 200, "{what}: {answer:?}");
        assert!(answer.header("mcp-session-id").is_some(), "{what}: {answer:?}");
    }
}

#[test]
fn bodies_that_are_no_message_are_told_so() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("hello", -32700),
        (deep.as_str(), -32700),
        ("[]", -32600),
        ("{}", -32600),
    ] {
        let answer = Ask::new(&server.address, &kimi).body(body).send(&server.address);
        let shown: String = body.chars().take(10).collect();
        assert_eq!(
            (answer.status, &answer.document()["error"]["code"]),
            (400, &json!(code)),
            "{shown}: {answer:?}"
        );
    }
    // What is no HTTP ends the connection, and nothing else.
    for bytes in ["\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\r\n\r\n"] {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{answer:?}");
    }
    HttpClient::connect(&server, &kimi).done("list_agents", json!({}));
}

#[test]
fn a_session_exists_only_for_the_token_that_opened_it() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    kimi.done("check_inbox", json!({}));
    let claude = token(&sandbox, "claude");
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" });
    let unknown = kimi.ask().header("Mcp-Session-Id", "no-such-session").message(&list).send(&server.address);
    for line in ["POST /mcp HTTP/1.1", "GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"] {
        let others = kimi.ask().line(line).header("Authorization", &format!("Bearer {claude}"));
        let answer = others.message(&list).send(&server.address);
        assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{line}: {answer:?}");
    }
    kimi.done("check_inbox", json!({}));
    // Its owner ends it, and then it is gone.
    assert_eq!(kimi.ask().line("DELETE /mcp HTTP/1.1").body("").send(&server.address).status, 204);
    assert_eq!(kimi.ask().message(&list).send(&server.address).status, 404);
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
}

#[test]
fn other_machines_are_not_served() {
    let sandbox = Sandbox::with_team();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nonsense"] {
        let refused = sandbox.run(&["mcp", "--http", address]);
        assert_eq!(refused.status, 2, "{}", refused.shown());
        assert!(refused.stderr.contains("127.0.0.1"), "{}", refused.shown());
    }
    let server = HttpServer::start(&sandbox);
    let taken = sandbox.run(&["mcp", "--http", &server.address]);
    assert_eq!(taken.status, 5, "{}", taken.shown());
}

#[test]
fn connections_beyond_the_limit_are_told_to_come_later() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let known = || Ask::new(&server.address, &kimi).open(&server.address).begun();
    let open: Vec<_> = (0..256).map(|_| known()).collect();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let answer = Ask::new(&server.address, &kimi).send(&server.address);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{answer:?}");
    assert_eq!(answer.document()["error"]["code"], "busy");
    drop(open);
    while Ask::new(&server.address, &kimi).send(&server.address).status != 200 {
        assert!(std::time::Instant::now() < until, "it never had room again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn idle_connections_without_token_shut_nobody_out() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let _idle: Vec<_> = (0..400).map(|_| std::net::TcpStream::connect(&server.address).unwrap()).collect();
    for _ in 0..3 {
        assert_eq!(Ask::new(&server.address, &kimi).send(&server.address).status, 200);
    }
    let mut client = HttpClient::connect(&server, &kimi);
    client.done("list_agents", json!({}));
}

#[test]
fn sessions_of_one_token_are_bounded_and_the_idle_ones_give_way() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let mut clients: Vec<_> = (0..17).map(|_| HttpClient::connect(&server, &kimi)).collect();
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" });
    let statuses: Vec<u16> =
        clients.iter().map(|client| client.ask().message(&list).send(&server.address).status).collect();
    assert_eq!((statuses[0], &statuses[1..]), (404, &[200; 16][..]));
    // Those that are in use do not: an open stream is one.
    let streams: Vec<_> = clients
        .drain(1..)
        .map(|client| client.ask().line("GET /mcp HTTP/1.1").body("").open(&server.address))
        .collect();
    let mut streams: Vec<_> = streams.into_iter().map(crate::http::Open::begun).collect();
    let answer = Ask::new(&server.address, &kimi).send(&server.address);
    assert_eq!(
        (answer.status, &answer.document()["error"]["code"]),
        (503, &Value::from("busy")),
        "{answer:?}"
    );
    // Another agent has room.
    HttpClient::connect(&server, &token(&sandbox, "claude")).done("list_agents", json!({}));
    streams.pop();
}
