/// Several things measured in turn, round after round.
public enum Rounds {
    /// Takes each of `measurements` once in each round and begins each round with the next one, so that none always
    /// finds the machine as the same other left it.
    ///
    /// - Returns: for each measurement its values in the order of the rounds.
    public static func measure<Failure: Error>(
        _ count: Int,
        _ measurements: [() throws(Failure) -> Double]
    ) throws(Failure) -> [[Double]] {
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
