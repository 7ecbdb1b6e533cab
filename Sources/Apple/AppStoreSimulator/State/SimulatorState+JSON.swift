internal import FoundationEssentials
internal import System

extension SimulatorState {
    private struct Head: Codable {
        let format: Int
    }

    /// Reads the text that ``json`` gives. A performance test that was running counts as failed, because nothing ends it any more.
    package init(json text: [UInt8]) throws(SimulatorStateError) {
        do {
            let data = Data(text)
            let head = try JSONDecoder().decode(Head.self, from: data)
            guard head.format <= Self.currentFormat else { throw SimulatorStateError.newer }
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch let error as SimulatorStateError {
            throw error
        } catch {
            throw .damaged
        }
        for bundleId in apps.keys {
            for index in self[bundleId].tests.indices { self[bundleId].tests[index].expire() }
        }
    }

    /// The state as JSON text, for a file and for people.
    package var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers, texts and lists alone can always be written.
        return (try? encoder.encode(self)).map { Array($0) + [UInt8(ascii: "\n")] } ?? []
    }
}

/// The reason why a state cannot be read.
package enum SimulatorStateError: CodedError, Hashable, CustomStringConvertible {
    /// The text is not a state of the simulator, or it is damaged.
    case damaged
    /// A newer version wrote the state.
    case newer

    package var code: String {
        switch self {
        case .damaged: "simulator-state.damaged"
        case .newer: "simulator-state.newer"
        }
    }

    package var description: String {
        switch self {
        case .damaged: "not a state of the simulator, or damaged"
        case .newer: "written by a newer version"
        }
    }
}
