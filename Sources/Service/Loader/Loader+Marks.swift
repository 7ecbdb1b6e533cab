internal import System

extension Loader {
    /// Returns the lines about the experiments of all files as messages to the supervisor. Leaves out the lines beyond
    /// ``LoaderLimits/markByteCount``, because the supervisor takes no more.
    static func markMessages(_ files: [CheckedFile]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var message: [UInt8] = []
        var byteCount = 0
        for file in files {
            guard case .rules(_, _, let lines) = file.contents else { continue }
            for line in lines {
                // A message has a byte before its lines.
                guard byteCount + line.count + 1 <= LoaderLimits.markByteCount else { break }
                if message.count + line.count > LoaderLimits.markMessageByteCount {
                    messages.append(message)
                    message = []
                }
                if message.isEmpty {
                    message = [LoaderReply.marksBegin]
                    byteCount += 1
                }
                message += line
                byteCount += line.count
            }
        }
        return message.isEmpty ? messages : messages + [message]
    }
}
