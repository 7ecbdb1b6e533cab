internal import Control
internal import Loader
internal import System
internal import Telemetry

/// USR2, the side of the old binary: the new binary checks everything before this one gives up control.
extension Supervisor {
    /// Runs the binary that is now at our path with `-t`. It gets what it would be handed over, and the serving
    /// generation. Its messages go to our standard error.
    func startChecker(_ id: ChildID) {
        guard let handOver, let held = generations[handOver.generation] else {
            return failToStart(id, why: "there is nothing to hand over")
        }
        var checker = child(["-t", "--handed-over"] + setup.words)
        checker.executable = executablePath
        checker.environment.append("\(HandOver.variable)=\(handOver.text)")
        checker.descriptors = held.placement
        _ = start(id, checker)
    }

    /// Replaces this binary with the one that is now at our path. The process number, the socket and the workers stay.
    func upgrade() {
        guard let handOver else { return }
        carryFormerCounts()
        // The file is opened now, while it is certainly the binary that runs.
        let own = DescriptorList(
            takingOwnership: (try? FileDescriptor.openForReading(path: ChildProcess.ownExecutable).release())
                .map { [$0] }
                ?? []
        )
        let failure = withExtendedLifetime(own) { become(handOver, way: own.numbers.first) }
        for number in handOver.descriptors { try? FileDescriptor.setCloseOnExec(of: number, true) }
        take(.upgradeFailed(PoolRefusal(code: "upgrade-exec-failed", message: failure.description)))
    }

    /// Replaces this binary. Returns only when that failed, with the reason. `back` is the open file of this binary,
    /// for the way back.
    private func become(_ handOver: HandOver, way back: Int32?) -> SystemCallError {
        var variables = ["\(HandOver.variable)=\(handOver.text)"]
        if let back {
            let ticket = ReturnTicket(executable: back, path: executablePath, handOver: handOver.text)
            variables.append("\(ReturnTicket.variable)=\(ticket.text)")
        }
        do throws(SystemCallError) {
            for number in handOver.descriptors + (back.map { [$0] } ?? []) {
                try FileDescriptor.setCloseOnExec(of: number, false)
            }
        } catch {
            return error
        }
        decisionMarks.finish()
        return Processes.replace(
            executable: executablePath,
            arguments: ["retentiond"] + setup.words,
            environment: Self.inheritedEnvironment + variables
        )
    }

    /// What the next binary takes over; nil while nothing serves.
    private var handOver: HandOver? {
        guard let serving = state.servingGeneration, let held = generations[serving.id],
            let listener = poolSocket?.socket.descriptor.number
        else { return nil }
        let adoptable = state.adoptableWorkers.compactMap { id, isReady -> HandOver.Worker? in
            guard let child = children[id], let channel = channels[id] else { return nil }
            return HandOver.Worker(
                id: id,
                processID: child.processID,
                control: channel.socket.descriptorNumber,
                slot: child.slot ?? -1,
                isReady: isReady
            )
        }
        return HandOver(
            listen: listener,
            socketFile: poolSocket?.fileIdentity,
            pidFile: pidFile.lockDescriptorNumber,
            state: stateLock.descriptorNumber,
            counters: counters.descriptorNumber,
            generation: serving.id,
            sequence: state.lastSequence,
            settings: serving.settings,
            manifest: held.manifest.numbers[0],
            keys: held.keys.numbers[0],
            marks: held.marksDescriptor,
            files: held.fileDescriptors.numbers,
            workers: adoptable
        )
    }

    /// The environment variables that another binary in this process gets.
    static var inheritedEnvironment: [String] {
        ProcessEnvironment.all(excludingPrefixes: ["LISTEN_", "RETENTIOND_", "MAINPID="])
    }
}
