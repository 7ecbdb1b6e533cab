internal import Configuration
internal import Endpoints
internal import FastCGI
internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// `--cgi`: one request from the environment and standard input (RFC 3875), answered on standard output.
enum CGIProcess {
    static func run(_ arguments: Arguments) -> Int32 {
        let logger = Output.logger(component: "cgi", level: .info, format: .logfmt)
        do {
            var request = CGIRequest(input: FileDescriptor(takingOwnership: 0))
            let generation = try Generation(loadingConfigurationAt: arguments.configurationPath)
            let settings = generation.configuration.log
            let counters = try SharedCounters(codes: CounterCodes.all, startedAt: Clock.wallMilliseconds())
            let observer = RequestObserver(
                counters: counters,
                logger: Output.logger(component: "cgi", level: settings.level, format: settings.format),
                slot: nil,
                slowMilliseconds: generation.configuration.slowMilliseconds
            )
            let handler = try EndpointHandler(generation: generation, observer: observer)
            let response = handler.handle(&request)
            let output = FileDescriptor(takingOwnership: 1)
            try CGIRequest.write(response, to: output)
            return 0
        } catch {
            logger.error("request failed", error: error)
            return 70
        }
    }
}
