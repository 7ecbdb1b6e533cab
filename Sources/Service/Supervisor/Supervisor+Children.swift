internal import Control
internal import Loader
internal import System
internal import Telemetry

/// Starts child processes. All run this very binary.
extension Supervisor {
    /// Prefixes of the environment variables that children do not inherit: those that the service manager set for this
    /// process.
    static let privateVariables = [
        "LISTEN_", "NOTIFY_SOCKET=", "WATCHDOG_", "MAINPID=", "FCGI_WEB_SERVER_ADDRS=",
    ]

    func child(_ arguments: [String]) -> ChildProcess {
        ChildProcess(
            executable: ChildProcess.ownExecutable, arguments: ["retentiond"] + arguments,
            environment: ProcessEnvironment.all(excludingPrefixes: Self.privateVariables))
    }

    /// Starts a child and records it. Passes ``PoolEvent/Kind/notStarted(_:_:)`` to the state and returns false when
    /// that fails.
    func start(_ id: ChildID, _ child: ChildProcess, slot: Int? = nil) -> Bool {
        do throws(SystemCallError) {
            let processID = try child.start()
            children[id] = Child(processID: processID, slot: slot)
            childIDs[processID] = id
            if let slot { counters.nameWorker(slot, processNumber: processID) }
            return true
        } catch {
            fail(id, error)
            return false
        }
    }

    func fail(_ id: ChildID, _ error: SystemCallError) {
        failToStart(id, why: error.description)
    }

    /// Passes ``PoolEvent/Kind/notStarted(_:_:)`` to the state.
    func failToStart(_ id: ChildID, why: String) {
        take(.notStarted(id, PoolRefusal(code: "start-failed", message: why)))
    }

    func startWorker(_ id: ChildID, generation: GenerationID, hints: [[UInt8]]) {
        guard let held = generations[generation], let listener = poolSocket?.socket.descriptor.number else {
            return failToStart(id, why: "its generation or the socket is gone")
        }
        let slot = counters.claimWorker(
            generation: UInt64(generation), atMilliseconds: Clock.wallMilliseconds())
        do throws(SystemCallError) {
            let channel = try MessageSocket.makePair().split { ours, theirs throws(SystemCallError) in
                var worker = child(["--worker"] + (slot.map { ["--slot", String($0)] } ?? []))
                let last = LoaderLimits.firstFileDescriptor + Int32(held.fileDescriptors.numbers.count)
                worker.descriptors =
                    [(listener, 0), (theirs.descriptor.number, LoaderLimits.controlDescriptor)]
                    + held.placement + [(counters.descriptorNumber, last)]
                worker.blocksSignals = true
                return start(id, worker, slot: slot) ? Channel(ControlSocket(over: ours)) : nil
            }
            guard let channel else {
                if let slot { counters.releaseWorker(slot) }
                return
            }
            channels[id] = channel
            counters.add(.workersStarted)
            // Hints that do not fit into the socket are dropped: a worker can do without them.
            for hint in hints { try? channel.socket.send(.chainHint(hint)) }
            try channel.socket.send(.hintsEnd)
        } catch {
            if children[id] == nil {
                if let slot { counters.releaseWorker(slot) }
                fail(id, error)
            }
        }
    }

    func startLoader(_ id: ChildID, sequence: GenerationID, source: LoadSource, current: GenerationID?) {
        var arguments = ["--load", "--config", setup.configurationPath, "--sequence", String(sequence)]
        if source == .lastGood { arguments.append("--last-good") }
        do throws(SystemCallError) {
            let pair = try DescriptorSocket.pair()
            var descriptors = [(from: pair.theirs.descriptor.number, to: LoaderLimits.controlDescriptor)]
            if let current, let held = generations[current] {
                arguments.append("--present")
                descriptors += held.placement
            }
            var loader = child(arguments)
            loader.descriptors = descriptors
            guard start(id, loader) else { return }
            loaderChannels[id] = LoaderChannel(LoaderReplyReceiver(over: pair.keepOurs()), sequence: sequence)
        } catch {
            fail(id, error)
        }
    }

    func startKeeper(_ id: ChildID, generation: GenerationID) {
        guard let held = generations[generation] else {
            return failToStart(id, why: "its generation is gone")
        }
        var keeper = child(["--keep"])
        keeper.descriptors = held.placement
        _ = start(id, keeper)
    }
}
