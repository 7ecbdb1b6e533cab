internal import AppStoreServerAPI
internal import System

/// Apple's side of the Retention Messaging API and of App Store Server Notifications, for the apps of one team.
///
/// The simulator is a value: time and randomness are arguments, and the caller performs what an answer asks for (close the
/// connection, wait, run a performance test) and sends what ``takeDueNotifications(at:count:)`` returns.
///
/// Where Apple's documentation does not say what happens, the simulator takes the stricter way: an identifier is never taken
/// twice, also after a delete; lengths are counted in UTF-16 units; a default message goes when its message is deleted or
/// rejected.
package struct AppStoreSimulator {
    package let configuration: SimulatorConfiguration
    package internal(set) var state: SimulatorState
    private(set) var counts = CallCounts()

    var schedule: DeliverySchedule
    var rates = RateLedger()
    /// The time at which the clock of the rates and the real clock agree: the first call.
    private var origin: Int64?

    package init(configuration: SimulatorConfiguration, state: SimulatorState = SimulatorState()) {
        self.configuration = configuration
        self.state = state
        schedule = DeliverySchedule(state)
    }

    package mutating func answer(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        if request.target.hasPrefix(Self.administrationPrefix) {
            do throws(SimulatorAnswer) {
                return try administer(request, at: now, using: &random)
            } catch {
                return error
            }
        }
        guard let bundleId = configuration.keys.bundleId(of: request.authorization, nowMilliseconds: now)
        else { return .unauthorized }
        let app = configuration.app(bundleId)
        guard let target = RequestTarget(request.target),
            let route = Route(
                method: request.method, segments: target.segments, environment: request.environment)
        else { return .notFound }
        let key = RateLedger.Key(
            bundleId: bundleId, environment: request.environment, operation: route.operation)
        let call = Call(app: app, route: route, target: target, request: request, now: now)
        let answer = answer(call, key, using: &random)
        counts.add(key, status: answer.isLost ? "lost" : "\(answer.status)")
        return answer
    }

    private mutating func answer(
        _ call: Call, _ key: RateLedger.Key, using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        if let time = rates.take(key, at: fastTime(call.now)) {
            var answer = SimulatorAnswer.apple(.rateLimitExceeded)
            answer.retryAfterMilliseconds = realTime(time)
            return answer
        }
        let faults = SimulatorFault.draw(configuration.faults, operation: key.operation, using: &random)
        if let fault = faults.first(where: \.kind.preventsWork) { return fault.answer(at: call.now) }
        var answer: SimulatorAnswer
        do throws(SimulatorAnswer) {
            if !call.app.hasAccess, key.operation.tellsMissingAccess { throw .notFound }
            answer = try perform(call, using: &random)
        } catch {
            answer = error
        }
        for fault in faults { fault.change(&answer) }
        return answer
    }

    private mutating func fastTime(_ now: Int64) -> Int64 {
        let origin = origin ?? now
        self.origin = origin
        return origin + (now - origin) * configuration.speed
    }

    /// The first moment of the real clock at which the clock of the rates has reached `time`.
    private func realTime(_ time: Int64) -> Int64 {
        let origin = origin ?? time
        return origin + (time - origin + configuration.speed - 1) / configuration.speed
    }

    private mutating func perform(_ call: Call, using random: inout some RandomNumberGenerator)
        throws(SimulatorAnswer) -> SimulatorAnswer
    {
        let environment = call.request.environment
        let bundleId = call.app.bundleId
        let parameters = call.route.parameters
        switch call.route.operation {
        case .startTest: return try startTest(call, using: &random)
        case .getTestResult: return try testResult(parameters[0], call)
        case .setURL:
            let needsPass = environment == .production && !state[bundleId].hasPassedTest
            return try state[bundleId][environment].setURL(call, needsPass: needsPass)
        case .notificationHistory: return try notificationHistory(call)
        case .requestTestNotification: return try requestTestNotification(call, using: &random)
        case .testNotificationStatus: return try testNotificationStatus(parameters[0], call)
        case .subscriptionStatuses: return try subscriptionStatuses(parameters[0], call)
        case .transactionHistory: return try transactionHistory(parameters[0], call)
        case .transactionInfo: return try transactionInfo(parameters[0], call)
        default: return try state[bundleId][environment].perform(call)
        }
    }
}

struct Call {
    let app: SimulatorConfiguration.App
    let route: Route
    let target: RequestTarget
    let request: SimulatorRequest
    let now: Int64
}
