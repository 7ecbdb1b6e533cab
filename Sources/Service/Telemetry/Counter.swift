/// What is counted for the whole pool since it was started; the raw value is the name in `status` and `metrics`.
///
/// The order is the order in shared memory; a process with another list does not share memory with this one.
public enum Counter: String, Sendable, Hashable, CaseIterable {
    /// Connections taken from the listening socket.
    case connectionsAccepted = "connections_accepted"
    /// Connections closed because what came is no FastCGI request we take.
    case connectionsRefused = "connections_refused"
    /// Requests for a retention message, and those that name no endpoint, whatever became of them: each is in one of the
    /// four kinds of answers below. Pings and status pages are not counted.
    case requests = "requests"
    /// Requests the client or nginx gave up while they were handled.
    case requestsAborted = "requests_aborted"
    /// Requests that took longer than `slowMilliseconds`.
    case requestsSlow = "requests_slow"
    /// Answers with a message.
    case answersDecided = "answers_decided"
    /// Answers without one because the rules, a holdout or the kill switch say so; these are no errors.
    case answersNone = "answers_none"
    /// Answers with status 400 to 499.
    case answersRefused = "answers_refused"
    /// Answers with status 500 to 599, those of ``answersNone`` apart.
    case answersFailed = "answers_failed"
    /// Rules that did not match, by the step that failed: switched off.
    case rulesDisabled = "rules_disabled"
    /// Before or after their window.
    case rulesOutsideWindow = "rules_outside_window"
    /// A fact of their condition was missing.
    case rulesUnknown = "rules_unknown"
    /// The subscriber was outside the rollout.
    case rulesNotInRollout = "rules_not_in_rollout"
    /// The fact was missing that decides the arm.
    case rulesNoArm = "rules_no_arm"
    /// Offers that the caps forbade.
    case rulesCapped = "rules_capped"
    /// Messages that are not approved.
    case rulesUnapproved = "rules_unapproved"
    /// Messages in no locale for the subscriber.
    case rulesNoLocale = "rules_no_locale"
    /// What could not be signed.
    case rulesSignFailed = "rules_sign_failed"
    /// Requests answered 503 because their deadline had passed.
    case deadlinesPassed = "deadlines_passed"
    /// Requests whose time of receipt was absent, malformed or impossible, so that their deadline ran from the accept.
    case receivedTimesIgnored = "received_times_ignored"
    /// Bodies over the limit.
    case bodiesRefused = "bodies_refused"
    /// Headers found in the memo of verified headers.
    case headerMemoHits = "header_memo_hits"
    /// Chains found verified.
    case chainCacheHits = "chain_cache_hits"
    /// Chains that had to be verified.
    case chainCacheMisses = "chain_cache_misses"
    /// Chains refused because they had failed before.
    case chainFailureHits = "chain_failure_hits"
    /// Chains refused unseen because the budget was used up.
    case chainBudgetRefusals = "chain_budget_refusals"
    /// Log lines that could not be written at once.
    case logLinesDropped = "log_lines_dropped"
    /// Log lines held back by a rate limit.
    case logLinesLimited = "log_lines_limited"
    /// Decision records written.
    case decisionsWritten = "decisions_written"
    /// Decision records that could not be written at once.
    case decisionsDropped = "decisions_dropped"
    /// Workers started.
    case workersStarted = "workers_started"
    /// Workers that ended without having been asked to.
    case workersCrashed = "workers_crashed"
    /// Reloads that took effect.
    case reloadsLoaded = "reloads_loaded"
    /// Reloads that were refused.
    case reloadsRefused = "reloads_refused"
}
