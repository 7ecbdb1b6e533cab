/// The counters of the whole pool, all 0 when the pool starts. The raw value is the counter's name in `status` and
/// `metrics`.
public enum Counter: String, Sendable, Hashable, CaseIterable {
    /// Connections that workers accepted from the listening socket.
    case connectionsAccepted = "connections_accepted"
    /// Connections that a worker closed because the bytes on them were not a FastCGI request that the service accepts.
    case connectionsRefused = "connections_refused"
    /// Requests for a retention message, and requests that name no endpoint. Each request is also counted under exactly
    /// one of the four kinds of answers below. Pings and status pages are not counted.
    case requests = "requests"
    /// Requests that the client or nginx gave up while a worker handled them.
    case requestsAborted = "requests_aborted"
    /// Requests that took longer than `slowMilliseconds`.
    case requestsSlow = "requests_slow"
    /// Answers with a message.
    case answersDecided = "answers_decided"
    /// Answers without a message because the rules, a holdout or the kill switch say so. These are not errors.
    case answersNone = "answers_none"
    /// Answers with status 400 to 499.
    case answersRefused = "answers_refused"
    /// Answers with status 500 to 599, except those counted in ``answersNone``.
    case answersFailed = "answers_failed"
    /// Rules that a decision passed over because they are switched off. This counter and the next eight count rules by
    /// the step that failed.
    case rulesDisabled = "rules_disabled"
    /// Rules whose time window has not begun or is over.
    case rulesOutsideWindow = "rules_outside_window"
    /// Rules with a condition that needs a fact the subscriber does not have.
    case rulesUnknown = "rules_unknown"
    /// Rules whose rollout does not include the subscriber.
    case rulesNotInRollout = "rules_not_in_rollout"
    /// Rules without an arm for the subscriber, because the fact that decides the arm was missing.
    case rulesNoArm = "rules_no_arm"
    /// Rules whose offer the caps did not allow.
    case rulesCapped = "rules_capped"
    /// Rules whose message Apple has not approved.
    case rulesUnapproved = "rules_unapproved"
    /// Rules whose message exists in no locale that suits the subscriber.
    case rulesNoLocale = "rules_no_locale"
    /// Rules whose outcome could not be signed.
    case rulesSignFailed = "rules_sign_failed"
    /// Requests refused on arrival because the queue was full. Each also counts under the code `overloaded`.
    case shedQueueFull = "shed_queue_full"
    /// Requests answered with 503 because their deadline had passed.
    case deadlinesPassed = "deadlines_passed"
    /// Requests whose time of receipt from nginx was absent, malformed or impossible. Their deadline ran from the
    /// accept instead.
    case receivedTimesIgnored = "received_times_ignored"
    /// Requests refused because their body was over the limit.
    case bodiesRefused = "bodies_refused"
    /// Certificate chains that a worker had verified before and found in its cache.
    case chainCacheHits = "chain_cache_hits"
    /// Certificate chains that a worker had to verify.
    case chainCacheMisses = "chain_cache_misses"
    /// Certificate chains refused because they had failed verification before.
    case chainFailureHits = "chain_failure_hits"
    /// Certificate chains refused without verification because the budget for new chains was used up.
    case chainBudgetRefusals = "chain_budget_refusals"
    /// How often the wall clock was set by 1.5 seconds or more while the pool ran.
    case clockJumps = "clock_jumps"
    /// Log lines dropped because they could not be written at once.
    case logLinesDropped = "log_lines_dropped"
    /// Log lines held back by a rate limit.
    case logLinesLimited = "log_lines_limited"
    /// Decision records written.
    case decisionsWritten = "decisions_written"
    /// Decision records dropped because they could not be written, or because there was no room for them to wait.
    case decisionsDropped = "decisions_dropped"
    /// Lines of the decision log that a full disk cut short. A record among them also counts as dropped.
    case decisionsTorn = "decisions_torn"
    /// Workers started.
    case workersStarted = "workers_started"
    /// Workers that ended without having been told to, that failed while they drained, that did not become ready in
    /// time, or that were stuck.
    case workersCrashed = "workers_crashed"
    /// Workers that were replaced because their loop did not turn for `stuckMilliseconds`. Each also counts in
    /// ``workersCrashed``.
    case workersStuck = "workers_stuck"
    /// Reloads that took effect.
    case reloadsLoaded = "reloads_loaded"
    /// Reloads that were refused.
    case reloadsRefused = "reloads_refused"
}
