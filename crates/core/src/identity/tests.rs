//! Every combination of evidence, against the rule as a table.

use super::*;

/// `named source bound signs terminal -> verdict`, where `*` is anything and `+` is any sign at all. The first row that
/// matches counts.
const TABLE: &str = "
    *        *        another  * * -> contradiction
    unusable request  agent    * * -> contradiction
    *        *        agent    * * -> bound
    agent    *        nobody   * * -> named
    unusable *        nobody   * * -> unbound UnusableName
    operator *        nobody   client   *   -> contradiction
    operator *        nobody   session  *   -> unbound UnknownSession
    operator *        nobody   ancestor *   -> unbound BoundAncestor
    operator *        nobody   chain    no  -> unbound UnreadableChain
    operator *        nobody   *        *   -> operator claimed
    nobody   *        nobody   client   *   -> unbound Client
    nobody   *        nobody   session  *   -> unbound UnknownSession
    nobody   *        nobody   ancestor *   -> unbound BoundAncestor
    nobody   *        nobody   chain    no  -> unbound UnreadableChain
    nobody   *        nobody   *        yes -> operator terminal
    nobody   *        nobody   none     no  -> operator claimed
";

fn wanted(named: &str, source: &str, bound: &str, signs: &[&str], terminal: &str) -> &'static str {
    let rows = TABLE.lines().filter_map(|row| row.split_once(" -> "));
    for (left, verdict) in rows {
        let cells: Vec<&str> = left.split_whitespace().collect();
        let is = |cell: &str, value: &str| cell == "*" || cell == value;
        let has_sign = match cells[3] {
            "*" => true,
            "none" => signs.is_empty(),
            sign => signs.contains(&sign),
        };
        if is(cells[0], named)
            && is(cells[1], source)
            && is(cells[2], bound)
            && has_sign
            && is(cells[4], terminal)
        {
            return verdict;
        }
    }
    panic!("no row for {named} {source} {bound} {signs:?} {terminal}");
}

fn shown(verdict: Verdict) -> String {
    match verdict {
        Verdict::Bound => "bound".to_owned(),
        Verdict::Named => "named".to_owned(),
        Verdict::Contradiction => "contradiction".to_owned(),
        Verdict::Operator(Proof::Proven) => "operator terminal".to_owned(),
        Verdict::Operator(Proof::Claimed) => "operator claimed".to_owned(),
        Verdict::Unbound(sign) => format!("unbound {sign:?}"),
    }
}

#[test]
fn every_combination_of_evidence_has_its_identity() {
    let names = [
        ("nobody", NamedAs::Nobody),
        ("operator", NamedAs::Operator),
        ("agent", NamedAs::Agent),
        ("unusable", NamedAs::Unusable),
    ];
    let sources = [("variable", NameSource::Variable), ("request", NameSource::Request)];
    let bindings =
        [("nobody", BoundTo::Nobody), ("agent", BoundTo::Agent), ("another", BoundTo::AnotherAgent)];
    let mut operators = 0;
    for case in 0..names.len() * sources.len() * bindings.len() {
        let (named, source) = (names[case % 4], sources[case / 4 % 2]);
        let bound = bindings[case / 8];
        for bits in 0_u8..32 {
            let has = |bit: u8| bits & (1 << bit) != 0;
            let evidence = Evidence {
                named: named.1,
                source: source.1,
                bound: bound.1,
                has_client: has(0),
                has_unknown_session: has(1),
                has_bound_ancestor: has(2),
                has_unreadable_chain: has(3),
                has_terminal: has(4),
            };
            let all = ["client", "session", "ancestor", "chain"];
            let signs: Vec<&str> = (0..4).filter(|bit| has(*bit)).map(|bit| all[usize::from(bit)]).collect();
            let terminal = if has(4) { "yes" } else { "no" };
            let wanted = wanted(named.0, source.0, bound.0, &signs, terminal);
            assert_eq!(shown(judge(evidence)), wanted, "{evidence:?}");
            let is_operator = matches!(judge(evidence), Verdict::Operator(_));
            operators += usize::from(is_operator);
            // The claim itself, apart from the table.
            let shows_agent = has(0) || has(1) || has(2) || (has(3) && !has(4)) || bound.1 != BoundTo::Nobody;
            assert!(!is_operator || !(shows_agent || matches!(named.1, NamedAs::Agent | NamedAs::Unusable)));
        }
    }
    // Unnamed or named the operator, by variable or request: without signs, or with an unreadable chain at a terminal.
    assert_eq!(operators, 2 * 2 * 3);
}
