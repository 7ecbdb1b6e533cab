internal import Configuration
internal import FastCGI
internal import Logging
internal import Pool
internal import System

/// `--cgi`: reads one request from the environment and standard input (RFC 3875), and answers it on standard output.
enum CGIProcess {
    static func run(_ arguments: Arguments) -> Int32 {
        let logger = Output.logger(component: "cgi", level: .info, format: .logfmt)
        let output = FileDescriptor(takingOwnership: 1)
        var handler: EndpointHandler?
        // Last, so that no disk delays the answer.
        defer { handler?.finishRecords(within: 1000) }
        let response: GatewayResponse
        var status: Int32 = 0
        do {
            try SupervisorError.refuseRoot(unless: arguments.allowsRoot, command: "retentiond --cgi")
            var request = CGIRequest(input: FileDescriptor(takingOwnership: 0))
            let generation = try Generation(loadingConfigurationAt: arguments.configurationPath)
            request.bodyMilliseconds = generation.configuration.deadlineMilliseconds
            let settings = generation.configuration.log
            Output.errorLog.use(generation.configuration.errorLog, elseTelling: logger)
            let counters = try SharedCounters(
                codes: RequestObserver.codes, startedAt: Clock.wallMilliseconds())
            let observer = RequestObserver(
                counters: counters,
                logger: Output.logger(component: "cgi", level: settings.level, format: settings.format),
                slot: nil, slowMilliseconds: generation.configuration.slowMilliseconds)
            let made = try EndpointHandler(
                generation: generation, observer: observer,
                recorder: try DecisionRecorder(generation, counters, logger, forOneRequest: true))
            handler = made
            response = made.answer(&request)
        } catch {
            // The client gets an answer, whatever is wrong here.
            logger.error("request failed", error: error)
            response = .internalFault
            status = 70
        }
        do {
            try CGIRequest.write(response, to: output)
            return status
        } catch {
            logger.error("answer not written", error: error)
            return 74
        }
    }
}
