//! As much HTTP/1.1 as the clients speak on loopback: whole requests in, whole answers out, connections kept.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// Above this a request is no conversation.
const MAX_BODY_BYTES: usize = 64 << 20;

/// A request, read whole.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    /// Without what follows a `?`.
    pub(super) path: String,
    /// How the body is packed, if it is.
    pub(super) encoding: Option<String>,
    pub(super) body: Vec<u8>,
}

/// An answer. A stream of events is one body too: the clients do not mind that it comes at once.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: String,
}

/// Answers every request of every connection on loopback, and gives the address. Ends with the process.
pub(super) fn serve(answer: impl Fn(Asked) -> Answer + Send + Sync + 'static) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            // A client that hangs up in the middle of a request only ends its own connection.
            std::thread::spawn(move || converse(&stream, &*answer));
        }
    });
    Ok(url)
}

fn converse(stream: &TcpStream, answer: &dyn Fn(Asked) -> Answer) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(asked) = read(&mut reader, &mut writer)? {
        let head_only = asked.method == "HEAD";
        let Answer { status, content_type, body } = answer(asked);
        let mut whole = format!(
            "HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if !head_only {
            whole.push_str(&body);
        }
        writer.write_all(whole.as_bytes())?;
    }
    Ok(())
}

/// The next request, or none when the client has left.
fn read(reader: &mut impl BufRead, writer: &mut impl Write) -> Result<Option<Asked>> {
    let start = line(reader)?;
    let mut words = start.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let mut asked = Asked { method: method.to_owned(), path, encoding: None, body: Vec::new() };
    let (mut length, mut chunked) = (0, false);
    loop {
        let header = line(reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(usize::MAX),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "content-encoding" => asked.encoding = Some(value.to_owned()),
            "expect" => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    if chunked {
        read_chunks(reader, &mut asked.body)?;
    } else {
        read_exactly(reader, length, &mut asked.body)?;
    }
    Ok(Some(asked))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Result<()> {
    loop {
        let size = line(reader)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).unwrap_or(usize::MAX);
        read_exactly(reader, size, body)?;
        line(reader)?;
        if size == 0 {
            return Ok(());
        }
    }
}

fn read_exactly(reader: &mut impl BufRead, length: usize, body: &mut Vec<u8>) -> Result<()> {
    if length.saturating_add(body.len()) > MAX_BODY_BYTES {
        return Err(std::io::Error::other("more than any conversation"));
    }
    let start = body.len();
    body.resize(start + length, 0);
    reader.read_exact(&mut body[start..])
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    reader.take(64 << 10).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(asked: Asked) -> Answer {
        let body = format!("{} {} {}", asked.method, asked.path, String::from_utf8_lossy(&asked.body));
        Answer { status: 200, content_type: "text/plain", body }
    }

    #[test]
    fn a_connection_carries_several_requests_of_both_lengths() {
        let url = serve(echo).unwrap();
        let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
        let requests = "POST /a?x=1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
            POST /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nde\r\n1;x\r\nf\r\n0\r\n\r\n\
            HEAD /c HTTP/1.1\r\n\r\nGET /d HTTP/1.1\r\n\r\n";
        stream.write_all(requests.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200").count(), 4, "{answers}");
        for body in ["POST /a abc", "POST /b def", "GET /d "] {
            assert!(answers.contains(body), "{body}: {answers}");
        }
        assert!(!answers.contains("HEAD /c"), "{answers}");
    }
}
