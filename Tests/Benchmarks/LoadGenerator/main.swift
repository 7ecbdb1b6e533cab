internal import HTTPLoad
internal import System

// The load generator of the benchmarks. It is a process of its own, so that its processor time can be measured alone:
//
//     load PORT REQUESTS CONNECTIONS SECONDS [NAME=VALUE]…
//
// REQUESTS is a file of whole HTTP requests, each behind its length. The program prints one line of NAME=VALUE.

/// Writes a line to a standard stream.
func say(_ text: String, to number: Int32) {
    let stream = FileDescriptor(takingOwnership: number)
    let bytes = Array((text + "\n").utf8)
    try? stream.write(bytes.span)
    _ = stream.release()
}

/// Runs the load of the command line and returns the exit status.
func run() -> Int32 {
    do {
        let options = try Options(Array(CommandLine.arguments.dropFirst()))
        let watch = ReloadWatch(options)
        let overload = options.isOverload ? OverloadWatch(options) : nil
        let report = LoadClient(try options.plan(watch, overload)).run()
        if let path = options.latencies {
            try AtomicFile.write(Array(report.latencies.text.utf8).span, to: path)
        }
        say(Figures(report, watch, overload, options).line, to: 1)
        return 0
    } catch {
        say("load: \(error)", to: 2)
        return 64
    }
}

Processes.exit(run())
