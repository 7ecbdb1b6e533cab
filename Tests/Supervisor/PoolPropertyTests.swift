@testable import Pool
import Support
import System
import Testing

/// A simulation around the state machine. It performs the actions, and it sends random events.
private struct World {
    var random: SeededGenerator
    var state = PoolState(sequence: 0)
    var now: Int64 = 0
    /// The living workers, with the generation that each of them serves.
    var workers: [ChildID: (generation: GenerationID, isReady: Bool)] = [:]
    var loaders: [ChildID: GenerationID] = [:]
    var started = 0
    var reaped = 0
    var isFinished = false
    var wasStopping = false

    mutating func send(_ kind: PoolEvent.Kind) {
        let before = servingWorkers
        let actions = state.handle(PoolEvent(at: now, kind))
        perform(actions)
        let refused = actions.contains { if case .publish(let v) = $0 { v.refusal != nil } else { false } }
        if refused, state.phase == .running {
            // A recycled worker may be drained at the same time. One serving worker always stays.
            let left = before.filter { !World.isDrained($0, actions) }
            #expect(before.isEmpty || !left.isEmpty, "\(kind) led to \(actions)")
        }
        if wasStopping { #expect(state.phase == .stopping || state.phase == .finished) }
        wasStopping = state.phase == .stopping || state.phase == .finished
        #expect(Set(workers.values.map(\.generation)).count <= 2)
    }

    var servingWorkers: Set<ChildID> {
        let serving = state.serving?.generation
        return Set(workers.filter { $0.value.generation == serving && $0.value.isReady }.keys)
    }

    static func isDrained(_ id: ChildID, _ actions: [PoolAction]) -> Bool {
        actions.contains { if case .drain(id, _) = $0 { true } else { false } }
    }

    mutating func perform(_ actions: [PoolAction]) {
        for action in actions {
            switch action {
            case .startWorker(let id, let generation):
                started += 1
                workers[id] = (generation, false)
            case .startLoader(let id, let sequence, _, _):
                started += 1
                loaders[id] = sequence
            // A disk may hold a killed worker.
            case .signal(let id, .kill):
                if workers[id] == nil || random.next() % 4 != 0 { end(id, .signalled(9)) }
            case .abandon(let id): if workers.removeValue(forKey: id) != nil { reaped += 1 }
            case .drain(let id, _): if random.next() % 4 != 0 { end(id, .exited(0)) }
            case .finish: isFinished = true
            case .sendHint(let id, _): #expect(workers[id] != nil || pendingEnds.contains { $0.0 == id })
            default: break
            }
        }
    }

    var pendingEnds: [(ChildID, ChildExit)] = []

    mutating func end(_ id: ChildID, _ exit: ChildExit) {
        let isOpen = workers.removeValue(forKey: id) != nil || loaders.removeValue(forKey: id) != nil
        guard isOpen else { return }
        pendingEnds.append((id, exit))
    }

    mutating func collect() {
        while let (id, exit) = pendingEnds.popLast() {
            reaped += 1
            send(.ended(id, exit))
        }
    }

    mutating func step() {
        now += Int64(random.next() % 400)
        switch random.next() % 16 {
        case 0, 1: send(.signal(.hangup))
        case 2: if let id = workers.keys.sorted().randomElement(using: &random) { send(.closed(id)) }
        case 3: if let id = workers.keys.sorted().randomElement(using: &random) { end(id, .signalled(11)) }
        case 4: if let id = loaders.keys.sorted().randomElement(using: &random) { end(id, .signalled(9)) }
        case 5, 6, 7:
            guard let id = loaders.keys.sorted().first else { break }
            let settings = PoolSettings(workerCount: Int(random.next() % 4), drainMilliseconds: 500)
            send(
                random.next() % 3 == 0
                    ? .refused(id, ServiceError(code: "x", "")) : .loaded(id, settings)
            )
            end(id, .exited(0))
        case 8, 9, 10, 11:
            guard let id = workers.keys.sorted().randomElement(using: &random) else { break }
            workers[id]?.isReady = true
            send(.ready(id))
        case 12: if let id = workers.keys.sorted().randomElement(using: &random) { send(.recycle(id)) }
        case 13:
            let gone = ChildExit.exited(PoolLimits.generationGoneStatus)
            if let id = workers.keys.sorted().randomElement(using: &random) { end(id, gone) }
        case 14:
            guard let id = workers.keys.sorted().randomElement(using: &random) else { break }
            send(.chain(id, [UInt8(random.next() % 12)]))
        default:
            if let deadline = state.nextDeadline { now = max(now, deadline) }
            send(.tick)
        }
        collect()
    }
}

@Suite("A pool with random events")
struct PoolPropertyTests {
    @Test("keeps the invariants and ends with every child collected or given up", arguments: 1...200)
    func invariants(life: Int) {
        var world = World(random: SeededGenerator(for: "life \(life) of a pool"))
        world.send(.start)
        for _ in 0..<400 where !world.isFinished { world.step() }
        if !world.isFinished { world.send(.signal(life % 2 == 0 ? .quit : .terminate)) }
        var rounds = 0
        while !world.isFinished && rounds < 1000 {
            rounds += 1
            world.collect()
            if let deadline = world.state.nextDeadline { world.now = max(world.now, deadline) }
            world.send(.tick)
        }
        #expect(world.isFinished, "life \(life)")
        #expect(world.started == world.reaped, "life \(life)")
    }
}
