/// Several things measured in turn, round after round.
public enum Rounds {
    /// Takes each of `measurements` once in each round and begins each round with the next one, so that none always
    /// finds the machine as the same other left it.
    ///
    /// Untyped throws: with a generic error the thrown value of a closure in an array was lost (Swift 6.3.1).
    ///
    /// - Returns: for each measurement its values in the order of the rounds.
    public static func measure(
        _ count: Int,
        _ measurements: [() throws -> Double]
    ) throws -> [[Double]] {
        var values = [[Double]](repeating: [], count: measurements.count)
        for round in 0..<count {
            for place in measurements.indices {
                let index = (round + place) % measurements.count
                values[index].append(try measurements[index]())
            }
        }
        return values
    }
}
