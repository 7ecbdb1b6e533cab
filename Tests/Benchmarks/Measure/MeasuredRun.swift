internal import System

/// The running time and the peak memory of a program that has ended.
struct MeasuredRun {
    let seconds: Double
    let peakByteCount: Double

    /// Runs `executable` to its end. Throws when the program does not exit with 0.
    init(_ executable: String, _ arguments: [String], in workspace: Workspace) throws {
        let start = Clock.monotonicNanoseconds()
        let log = "run.log"
        let process = try workspace.start(executable, arguments, output: log)
        try workspace.note(process)
        var peak = 0.0
        while true {
            // The kernel keeps the greatest size so far, so the last value that is read before the end is the peak.
            if let size = Self.peakByteCount(of: process) { peak = size }
            if let exit = Processes.reap(process) {
                guard exit == .exited(0) else {
                    let said = try Workspace.text(of: workspace.path(of: log))
                    throw Failure("\(arguments.joined(separator: " ")): \(exit) \(said)")
                }
                break
            }
            Pause.milliseconds(5)
        }
        seconds = Double(Clock.monotonicNanoseconds() - start) / 1e9
        peakByteCount = peak
    }

    private static func peakByteCount(of process: Int32) -> Double? {
        let text = (try? Workspace.text(of: "/proc/\(process)/status")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Double($0) }.map { $0 * 1024 }
    }
}
