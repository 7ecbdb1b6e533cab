import AppStoreServerAPI
@testable import Catalogue
import System
import Testing

/// Apple, a state file, and the processes that run `catalogue apply` one after the other.
final class ApplyWorld {
    let apple = FakeApple()
    var catalogue: ResolvedCatalogue
    /// False for runs that have no state, as in a build job.
    let keepsState: Bool
    /// What the file has.
    var stored = AppleState()
    var time: Int64 = 1_800_000_000_000
    var wait = CatalogueApply.ReviewWait.none

    init(_ catalogue: ResolvedCatalogue, keepsState: Bool = true) {
        self.catalogue = catalogue
        self.keepsState = keepsState
    }

    /// Opens the file in a process that may be killed before it is replaced, and behind that.
    func file(_ clock: PointClock = PointClock()) throws -> StateFile {
        guard keepsState else { return StateFile() }
        let bytes = StateFile.bytes(of: stored)
        return StateFile(try StateFile.state(bytes, path: "state")) {
            [unowned self] state throws(ToolError) in
            let killed = ToolError(code: "killed", "killed")
            if clock.isKilled() { throw killed }
            stored = state
            if clock.isKilled() { throw killed }
        }
    }

    /// Makes a plan as a process does. `prunes` deletes what neither the catalogue nor rules nor default messages name.
    func plan(
        _ file: StateFile? = nil, uses: CatalogueUses = CatalogueUses(), prunes: Bool = false,
        _ clock: PointClock = PointClock()
    )
        throws -> CataloguePlan
    {
        let file = try file ?? self.file()
        try file.look(apple.client(clock), at: { self.time })
        let places = catalogue.defaults.map { ProductLocale(product: $0.product, locale: $0.locale) }
        return CataloguePlan(
            catalogue, file.state, pruning: prunes ? Pruning(uses: uses, places: places) : nil)
    }

    /// Runs one process. Returns nil when it was killed.
    func run(_ clock: PointClock = PointClock(), uses: CatalogueUses = CatalogueUses(), prunes: Bool = false)
        throws -> CataloguePlan?
    {
        let report: CataloguePlan
        do {
            let file = try file(clock)
            let plan = try plan(file, uses: uses, prunes: prunes, clock)
            let timing = ClientTiming(now: { self.time }, sleep: { self.time += $0 })
            let apply = CatalogueApply(
                plan, apple.client(clock), file, timing: timing, readImage: { _ in Wanted.png })
            report = apply.run(images: catalogue.imagesByMessage, wait: wait)
        } catch {
            guard clock.isDead else { throw error }
            return nil
        }
        return clock.isDead ? nil : report
    }

    /// Runs processes until one of them has nothing left.
    func runToTheEnd(limit: Int = 20) throws {
        for _ in 0..<limit {
            guard let report = try run() else { continue }
            if report.isComplete { return }
        }
        Issue.record("not complete after \(limit) runs")
    }

    /// Checks that Apple has exactly what the catalogue wants, and that nothing was uploaded twice.
    func check(
        _ comment: Comment, allowsConflicts: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let wanted = Set(catalogue.images.map(\.identifier) + catalogue.messages.map(\.identifier))
        #expect(
            Set(apple.images.keys).union(apple.messages.keys) == wanted, comment,
            sourceLocation: sourceLocation)
        #expect(apple.uploadCounts.values.allSatisfy { $0 == 1 }, comment, sourceLocation: sourceLocation)
        #expect(allowsConflicts || apple.conflictCount == 0, comment, sourceLocation: sourceLocation)
        #expect(apple.unapprovedCount == 0, comment, sourceLocation: sourceLocation)
        let defaults = catalogue.defaults.map {
            (ProductLocale(product: $0.product, locale: $0.locale), $0.identifier)
        }
        #expect(
            apple.defaults == Dictionary(uniqueKeysWithValues: defaults), comment,
            sourceLocation: sourceLocation)
        #expect(apple.url == catalogue.realtimeURL, comment, sourceLocation: sourceLocation)
    }
}

extension CataloguePlan {
    private func changes(_ matches: (Outcome) -> Bool) -> [Step] {
        steps.filter { $0.isChange && matches($0.outcome) }
    }

    var done: [Step] { changes { $0 == .done } }
    var held: [Step] { changes { $0 == .held } }
    var waiting: [Step] { changes { $0 == .waiting } }
    var refused: [(step: Step, code: String, message: String)] {
        steps.compactMap { step in
            if case .refused(let code, let message) = step.outcome { (step, code, message) } else { nil }
        }
    }
    var kept: [(item: CatalogueItem, users: [String])] {
        steps.compactMap { step in
            guard case .kept(let users) = step.outcome, case .delete(let orphan) = step.action else {
                return nil
            }
            return (orphan.item, users)
        }
    }
    var actions: [Action] { steps.map(\.action) }
}

extension AppleState {
    /// Makes the state after a look at lists.
    init(
        images: [ListedImage] = [], messages: [ListedMessage] = [], url: String? = nil,
        _ events: [(Event, Int64)] = []
    ) {
        self.init()
        for (event, time) in events { add(event, at: time) }
        list(images, messages, at: 0)
        realtimeURL = url
    }
}
