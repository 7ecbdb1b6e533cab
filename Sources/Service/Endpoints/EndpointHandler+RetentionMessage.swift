package import Answers
internal import Configuration
internal import DataFiles
internal import Decisions
package import FastCGI
internal import Loader
internal import OfferSigning
internal import SignedPayloads
internal import System

extension EndpointHandler {
    /// Answers Apple's Get Retention Message.
    func retentionMessage(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        observer.began(at: request.acceptedMonotonicNanoseconds)
        var timing = RequestTiming()
        let response = verifyAndDecide(&request, &timing)
        timing.totalMicroseconds = request.elapsedMicroseconds(at: Clock.monotonicNanoseconds())
        observer.finished(timing, requestID: Self.requestID(request))
        isAnswerToMessageRequest = true
        return response
    }

    private func verifyAndDecide(
        _ request: inout some GatewayRequest & ~Copyable, _ timing: inout RequestTiming
    ) -> GatewayResponse {
        if request.isOverloaded { return refuse(.overloaded, request) }
        let reading = Clock.monotonicNanoseconds()
        if let problem = Self.problemBeforeBody(request) {
            return refuse(problem, request, fields: problem == .methodNotAllowed ? [.allow("POST")] : [])
        }
        let now = Clock.wallMilliseconds()
        let left = millisecondsLeft(request, nowMilliseconds: now)
        guard left >= 0 else { return refuse(.deadlinePassed, request) }
        switch request.readBody(limitBytes: generation.configuration.limits.messageBodyBytes) {
        case .complete: break
        case .tooLarge: return refuse(.bodyTooLarge, request)
        case .incomplete, .aborted: return refuse(.bodyIncomplete, request)
        case .late: return refuse(.deadlinePassed, request)
        }
        let begun = Clock.monotonicNanoseconds()
        timing.readNanoseconds = begun &- reading
        let verified: VerifiedPayload<RealtimeRequest>
        do throws(VerificationError) {
            defer { timing.verifyNanoseconds = Clock.monotonicNanoseconds() &- begun }
            verified = try request.withBody { body throws(VerificationError) in
                try verifier.verifyRealtimeRequest(body: body, nowMilliseconds: now)
            }
        } catch {
            return refuse(.refused(error.refusal), request, detail: error.detail?.description)
        }
        let deadline = reading &+ UInt64(left) * 1_000_000
        return decide(verified.payload, request, &timing, nowMilliseconds: now, deadlineNanoseconds: deadline)
    }

    private func decide(
        _ asked: RealtimeRequest, _ request: borrowing some GatewayRequest & ~Copyable,
        _ timing: inout RequestTiming, nowMilliseconds: Int64, deadlineNanoseconds: UInt64
    ) -> GatewayResponse {
        guard let rules = generation.rules(appAppleId: asked.appAppleId, environment: asked.environment)
        else { return refuse(.rulesMissing, request) }
        let begun = Clock.monotonicNanoseconds()
        let facts = facts(of: asked, nowMilliseconds: nowMilliseconds)
        let deciding = Clock.monotonicNanoseconds()
        timing.factsNanoseconds = deciding &- begun
        let signed = decideAndSign(
            DecisionRequest(
                appAppleId: asked.appAppleId, environment: asked.environment, productId: asked.productId,
                userLocale: asked.userLocale, originalTransactionId: asked.originalTransactionId,
                nowMilliseconds: nowMilliseconds), facts: facts, using: rules,
            signer: signer(
                appAppleId: asked.appAppleId, atNanoseconds: deciding,
                deadlineNanoseconds: deadlineNanoseconds), passedOver: tally.passedOver)
        if let failure = signed.failure {
            observer.signingFailed(failure, requestID: Self.requestID(request))
        }
        // The machine may have been suspended since the deadline was computed.
        let answeredAt = Clock.monotonicNanoseconds()
        timing.signNanoseconds = signed.signingNanoseconds
        timing.decideNanoseconds = answeredAt &- deciding &- signed.signingNanoseconds
        guard answeredAt <= deadlineNanoseconds else { return refuse(.deadlinePassed, request) }
        observer.noteSkippedRules(signed.decision.skipped)
        tally.count(signed.decision, by: rules)
        timing.totalMicroseconds = request.elapsedMicroseconds(at: answeredAt)
        recorder?.record(
            signed.decision, serving: signed.outcome, to: asked, by: rules, nowMilliseconds: nowMilliseconds,
            timing: timing)
        if signed.outcome == nil { observer.decidedNone() } else { observer.decided() }
        let isEmpty = generation.configuration.noAnswer == .empty
        return GatewayResponse(Answer(serving: signed.outcome, noAnswerIsEmpty: isEmpty))
    }

    /// Returns the signer of an app. Nil when the app has no key, and when hardly any time is left, because signing
    /// takes time.
    func signer(appAppleId: Int64, atNanoseconds now: UInt64, deadlineNanoseconds: UInt64) -> OfferSigner? {
        now <= deadlineNanoseconds &- Self.signingNanoseconds ? signers[appAppleId] : nil
    }

    /// The time that signing may take on a busy machine. On an idle machine it takes less than a tenth of a
    /// millisecond.
    private static var signingNanoseconds: UInt64 { 5_000_000 }

    /// Returns the subscriber's facts: one lookup in the generation's facts file for the app, or no facts without such
    /// a file.
    private func facts(of asked: RealtimeRequest, nowMilliseconds: Int64) -> SubscriberFacts {
        guard
            let bound = generation.facts(appAppleId: asked.appAppleId, environment: asked.environment)
        else { return .none(ageSeconds: nil) }
        return SubscriberFacts(
            of: asked.originalTransactionId, in: bound.file, bound.binding,
            ageSeconds: bound.file.ageSeconds(atMilliseconds: nowMilliseconds))
    }

    /// Returns how many milliseconds are left until the deadline; negative when it has passed. The deadline counts from
    /// when nginx received the request. Without a believable time from nginx it counts from when this process learned
    /// of the request.
    private func millisecondsLeft(
        _ request: borrowing some GatewayRequest & ~Copyable, nowMilliseconds: Int64
    ) -> Int64 {
        let received = request.withParameter("RETENTION_MSEC") { sent -> ReceivedTime in
            request.withParameter("RETENTION_ELAPSED") { elapsed -> ReceivedTime in
                guard let sent, let elapsed else { return .unusable }
                return ReceivedTime(sent: sent, elapsed: elapsed, nowMilliseconds: nowMilliseconds)
            }
        }
        let start: Int64
        switch received {
        case .known(let milliseconds): start = milliseconds
        case .unusable:
            observer.receivedTimeIgnored()
            start = request.acceptedWallMilliseconds
        }
        return generation.configuration.deadlineMilliseconds - (nowMilliseconds - start)
    }

    /// Returns the problem that the parameters alone show, before the body is read; nil when there is no problem.
    package static func problemBeforeBody(_ request: borrowing some GatewayRequest & ~Copyable) -> Problem? {
        let isPOST = request.withParameter("REQUEST_METHOD") { method -> Bool in
            guard let method, method.count == 4 else { return false }
            return method[0] == UInt8(ascii: "P") && method[1] == UInt8(ascii: "O")
                && method[2] == UInt8(ascii: "S") && method[3] == UInt8(ascii: "T")
        }
        guard isPOST else { return .methodNotAllowed }
        let isJSON = request.withParameter("CONTENT_TYPE") { type -> Bool in
            guard let type else { return true }
            return MediaType.isJSON(type)
        }
        let isEncoded = request.withParameter("HTTP_CONTENT_ENCODING") { encoding -> Bool in
            guard let encoding else { return false }
            return encoding.count > 0
        }
        return isJSON && !isEncoded ? nil : .mediaTypeUnsupported
    }
}
