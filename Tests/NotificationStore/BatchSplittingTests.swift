import Testing

@testable import NotificationStore

@Suite("The splitting of a refused batch")
struct BatchSplittingTests {
    /// Splits a batch whose rows `isSound` tells from others, or gives up where that is allowed. Returns how many
    /// transactions there were, the rows that were stored, and those that were refused alone.
    private func split(
        _ count: Int,
        givesUp: Bool = true,
        _ isSound: (Int) -> Bool
    ) -> (transactions: Int, stored: Set<Int>, alone: Set<Int>) {
        var splitting = BatchSplitting(count: count, givesUp: givesUp)
        var (stored, alone): (Set<Int>, Set<Int>) = ([], [])
        var transactions = 0
        while let piece = splitting.next() {
            transactions += 1
            if piece.allSatisfy(isSound) {
                #expect(stored.isDisjoint(with: piece))
                stored.formUnion(piece)
                splitting.noteStored()
            } else {
                if piece.count == 1 { alone.formUnion(piece) }
                splitting.refuse(piece)
            }
        }
        return (transactions, stored, alone)
    }

    @Test("goes on until each bad row stands alone", arguments: [1, 2, 3, 15, 16, 17, 100, 255, 256])
    func alone(count: Int) {
        let rows = Set(0..<count)
        for bad in [Set([0]), [count - 1], [count / 2], [0, count / 3, count - 1]] {
            let found = split(count) { !bad.contains($0) }
            #expect(found.stored == rows.subtracting(bad) && found.alone == bad, "\(count) \(bad)")
        }
        for step in 2...5 where count > step {
            let found = split(count) { !$0.isMultiple(of: step) }
            #expect(found.stored == rows.filter { !$0.isMultiple(of: step) }, "\(count) \(step)")
            #expect(found.transactions < 2 * count)
        }
        #expect(split(count) { _ in true }.transactions == 1)
    }

    @Test("tries every row when it does not give up")
    func everyRow() {
        for count in 1...300 {
            let found = split(count, givesUp: false) { _ in false }
            #expect(found.alone == Set(0..<count) && found.transactions == 2 * count - 1)
        }
        #expect(split(300, givesUp: false) { $0 == 299 }.stored == [299])
    }

    @Test("needs few transactions for one bad row, and gives up soon when every row is bad")
    func bound() {
        #expect(split(256) { $0 != 77 }.transactions == 17)
        for count in 1...300 {
            let found = split(count) { _ in false }
            #expect(found.stored.isEmpty && found.transactions <= BatchSplitting.hopelessCount)
            if count <= 16 { #expect(found.alone.count == count) }
        }
        #expect(split(0) { _ in true }.transactions == 0)
    }
}
