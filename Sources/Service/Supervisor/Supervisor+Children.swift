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

    func startWorker(_ id: ChildID, generation: GenerationID) {
        guard let listener = poolSocket?.socket.descriptor.number else {
            return failToStart(id, why: "the socket is gone")
        }
        let slot = counters.claimWorker(
            generation: UInt64(generation), atMilliseconds: Clock.wallMilliseconds())
        do throws(SystemCallError) {
            let channel = try MessageSocket.makePair().split { ours, theirs throws(SystemCallError) in
                var worker = child(
                    ["--worker", "--generation", store.path(of: generation)]
                        + (slot.map { ["--slot", String($0)] } ?? []))
                worker.descriptors = [
                    (listener, 0), (theirs.descriptor.number, LoaderLimits.controlDescriptor),
                    (counters.descriptorNumber, LoaderLimits.countersDescriptor),
                ]
                worker.blocksSignals = true
                return start(id, worker, slot: slot) ? Channel(ControlSocket(over: ours)) : nil
            }
            guard let channel else {
                if let slot { counters.releaseWorker(slot) }
                return
            }
            channels[id] = channel
            counters.add(.workersStarted)
        } catch {
            if children[id] == nil {
                if let slot { counters.releaseWorker(slot) }
                fail(id, error)
            }
        }
    }

    func startLoader(_ id: ChildID, sequence: GenerationID, source: LoadSource, serving: GenerationID?) {
        do throws(SystemCallError) {
            let pipe = try FileDescriptor.pipe()
            var loader = child(
                [
                    "--load", "--config", setup.configurationPath, "--sequence", String(sequence),
                    "--source", source.rawValue,
                ] + (serving.map { ["--serving", String($0)] } ?? []))
            loader.descriptors = [(from: pipe.writing.number, to: 1)]
            guard start(id, loader) else { return }
            loaderChannels[id] = LoaderChannel(try LoaderReplyReader(pipe.keepReading()), sequence: sequence)
        } catch {
            fail(id, error)
        }
    }
}
