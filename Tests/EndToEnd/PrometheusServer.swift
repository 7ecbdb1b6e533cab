import HTTPLoad
import Support
import System

/// A real Prometheus with its data in the folder of a test.
final class PrometheusServer {
    private let process: RunningProcess
    private let port: UInt16

    /// Starts a Prometheus that scrapes these targets at 127.0.0.1. The job of a target has the name of its path.
    init(in folder: TemporaryDirectory, targets: [(path: String, port: UInt16)]) throws {
        port = try LoopbackPort.free(1)[0]
        let jobs = targets.map { target in
            """
              - job_name: \(target.path)
                metrics_path: \(target.path)
                static_configs:
                  - targets: ["127.0.0.1:\(target.port)"]

            """
        }
        let global = "global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\n"
        try folder.write(global + "scrape_configs:\n" + jobs.joined(), to: "prometheus.yml")
        process = try RunningProcess(
            [
                "/usr/bin/prometheus", "--config.file=\(folder.path(of: "prometheus.yml"))",
                "--storage.tsdb.path=\(folder.path(of: "prometheus"))",
                "--web.listen-address=127.0.0.1:\(port)",
            ],
            logPath: folder.path(of: "prometheus.log")
        )
        let answers = Patience.wait(seconds: 60) { answer("/-/ready")?.status == 200 || process.hasEnded }
        guard answers, !process.hasEnded else {
            throw Complaint("Prometheus does not start: \(process.log)")
        }
    }

    /// Ends the server.
    func stop() {
        try? process.send(.terminate)
        _ = process.waitForExit(seconds: 10)
    }

    func get(_ path: String) throws -> PlainAnswer {
        guard let answer = answer(path), answer.status == 200 else {
            throw Complaint("no answer to \(path): \(process.log)")
        }
        return answer
    }

    /// Waits until a query has one sample with this number.
    func expect(_ query: String, _ number: String) throws {
        var last = ""
        let isThere = Patience.wait(seconds: 60) {
            last = answer("/api/v1/query?query=\(Self.encoded(query))")?.body ?? "no answer"
            return last.contains(",\"\(number)\"]}]") && last.ranges(of: #""value":["#).count == 1
        }
        guard isThere else {
            throw Complaint("\(query) is not \(number): \(last)\n\(process.log.suffix(2000))")
        }
    }

    private func answer(_ path: String) -> PlainAnswer? {
        PlainAnswer.exchange(RequestText.get(path), port: port)
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
