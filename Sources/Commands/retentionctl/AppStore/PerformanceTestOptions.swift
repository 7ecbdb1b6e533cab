internal import AppStoreTraffic
internal import ArgumentParser

struct PerformanceTestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Requests in flight at the same time, 1 to 256.", valueName: "number"))
    var maxConcurrentRequests = PerformanceTestConfiguration().maxConcurrentRequests

    @Option(help: ArgumentHelp("Requests in all, 1 to 10000000.", valueName: "number"))
    var totalRequests = PerformanceTestConfiguration().totalRequests

    @Option(
        help: ArgumentHelp("The longest time that the test may take, in milliseconds.", valueName: "number")
    )
    var totalDuration = PerformanceTestConfiguration().totalDuration

    @Option(help: ArgumentHelp("How long an answer may take, in milliseconds.", valueName: "number"))
    var responseTimeThreshold = PerformanceTestConfiguration().responseTimeThreshold

    @Option(help: ArgumentHelp("The percentage of requests that must succeed.", valueName: "percent"))
    var successRateThreshold = PerformanceTestConfiguration().successRateThreshold

    /// The numbers, not checked.
    var configuration: PerformanceTestConfiguration {
        var configuration = PerformanceTestConfiguration()
        configuration.maxConcurrentRequests = maxConcurrentRequests
        configuration.totalRequests = totalRequests
        configuration.totalDuration = totalDuration
        configuration.responseTimeThreshold = responseTimeThreshold
        configuration.successRateThreshold = successRateThreshold
        return configuration
    }
}
