internal import AppStoreSimulator
internal import Synchronization
internal import System

/// Runs the performance tests of the simulator, each on a thread of its own, so that the simulator answers requests meanwhile.
final class PerformanceTestThreads: Sendable {
    private let configuration: PerformanceTestConfiguration
    private let signer: SignedRequestBuilder?
    private let authoritiesFile: String?
    private let allowedHosts: [String]
    private let productId: String
    private let userLocale: String
    private let state = Mutex<(runningCount: Int, ended: [EndedTest])>((0, []))

    /// A test that has ended, with the reason why it could not be run.
    struct EndedTest {
        let test: StartedPerformanceTest
        let result: PerformanceTestResultResponse
        var problem: String?
    }

    init(
        configuration: PerformanceTestConfiguration, signer: SignedRequestBuilder?, authoritiesFile: String?,
        allowedHosts: [String], productId: String, userLocale: String
    ) {
        self.configuration = configuration
        self.signer = signer
        self.authoritiesFile = authoritiesFile
        self.allowedHosts = allowedHosts
        self.productId = productId
        self.userLocale = userLocale
    }

    /// True while a test runs, or its outcome has not been taken.
    var isRunning: Bool { state.withLock { $0.runningCount > 0 || !$0.ended.isEmpty } }

    func start(_ test: StartedPerformanceTest) {
        state.withLock { $0.runningCount += 1 }
        guard ReceiverURL(test.target)?.isAllowed(by: allowedHosts) == true else {
            return fail(test, "\(test.target) is not on this machine; --allow-host can name its host")
        }
        guard let signer else { return fail(test, "there is no --authority that could sign the requests") }
        do throws(SystemCallError) {
            try ServiceThread.start {
                do throws(AppStoreTrafficError) {
                    self.end(test, try self.run(test, signer).response)
                } catch {
                    self.fail(test, error.description)
                }
            }
        } catch {
            fail(test, error.description)
        }
    }

    /// Returns the tests that have ended since the last call.
    func takeEnded() -> [EndedTest] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    private func run(_ test: StartedPerformanceTest, _ signer: SignedRequestBuilder)
        throws(AppStoreTrafficError)
        -> PerformanceTestResult
    {
        var run = PerformanceTest(configuration: configuration, url: test.target)
        run.authoritiesFile = authoritiesFile
        // A redirection could lead to a host that is not allowed.
        run.redirectionCount = 0
        var generator = SystemRandomNumberGenerator()
        return try run.run(signing: signer) { _ in
            var payload = RequestPayload(
                appAppleId: test.appAppleId, productId: productId, environment: .sandbox,
                requestIdentifier: UUID(randomFrom: &generator), signedDate: Clock.wallMilliseconds())
            payload.userLocale = userLocale
            payload.originalTransactionId = test.originalTransactionId
            return payload
        }
    }

    private func fail(_ test: StartedPerformanceTest, _ problem: String) {
        let count = configuration.totalRequests
        let result = PerformanceTestResultResponse(
            result: .fail, config: configuration, target: test.target,
            failures: [.init(name: "OTHER", count: count)])
        end(test, result, problem)
    }

    private func end(
        _ test: StartedPerformanceTest, _ result: PerformanceTestResultResponse, _ problem: String? = nil
    ) {
        state.withLock {
            $0.runningCount -= 1
            $0.ended.append(EndedTest(test: test, result: result, problem: problem))
        }
    }
}
