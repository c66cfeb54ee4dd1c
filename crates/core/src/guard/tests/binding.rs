//! Whom each rule binds, and in which team.

use super::*;
use crate::team::CommitGuard;

#[test]
fn f006_binds_where_there_are_branches_to_protect() {
    let mut team = TeamConfig::usual_duo("p");
    assert_eq!(rules_of(Some(&team), Bound::Agent), [Guard::Race001]);
    team.rules.protected_branches.insert("main".to_owned());
    assert_eq!(rules_of(Some(&team), Bound::Agent), [Guard::F006, Guard::Race001]);
    team.rules.commit_guard = CommitGuard::Everyone;
    assert_eq!(rules_of(Some(&team), Bound::PersonAtGit), [Guard::F006, Guard::Race001]);
    assert_eq!(rules_of(Some(&team), Bound::Person), []);
}
