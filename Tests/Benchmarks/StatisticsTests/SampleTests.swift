import BenchmarkStatistics
import JSON
import Testing

@Suite("Benchmark statistics")
struct SampleTests {
    @Test(
        "take the median and the quartiles as R does",
        arguments: [
            ([3.0], 3.0, 3.0, 3.0),
            ([4, 1], 1.75, 2.5, 3.25),
            ([9, 1, 5], 3, 5, 7),
            ([1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 5, 7),
            ([100, 1, 2, 3], 1.75, 2.5, 27.25),
        ] as [([Double], Double, Double, Double)]
    )
    func quartiles(values: [Double], lower: Double, median: Double, upper: Double) throws {
        let sample = try #require(Sample(values))
        #expect(sample.lowerQuartile == lower)
        #expect(sample.median == median)
        #expect(sample.upperQuartile == upper)
    }

    @Test("refuse values that have no median or no ratio")
    func withoutMedian() {
        #expect(Sample([]) == nil)
        #expect(Sample([1, .nan]) == nil)
        #expect(PairedSample(subject: [1], reference: [0]) == nil)
        #expect(PairedSample(subject: [1, 2], reference: [1]) == nil)
    }

    @Test("compute the ratio of each pair and not the ratio of the medians")
    func pairs() throws {
        // A slow phase of the machine affects both values of the second pair.
        let sample = try #require(PairedSample(subject: [10, 42, 12], reference: [10, 40, 10]))
        #expect(sample.ratios.values == [1, 1.05, 1.2])
        #expect(sample.ratios.median == 1.05)
        #expect(sample.subject.median == 12)
        #expect(sample.reference.median == 10)
    }

    @Test("measure in turn and begin each round with another measurement")
    func order() throws {
        var order = ""
        let values = try Rounds.measure(
            4,
            [
                {
                    order += "a"
                    return Double(order.count)
                },
                {
                    order += "b"
                    return 0
                },
                {
                    order += "c"
                    return -1
                },
            ]
        )
        #expect(order == "abcbcacababc")
        #expect(values == [[1, 6, 8, 10], [0, 0, 0, 0], [-1, -1, -1, -1]])
    }

    @Test(
        "compare a value with its bar; a value equal to the bar is within it",
        arguments: [
            (1.2, Figure.Bar.atMost(1.2), true), (1.201, .atMost(1.2), false), (1.0, .atLeast(1), true),
            (0.999, .atLeast(1), false), (99, .reported, true),
        ] as [(Double, Figure.Bar, Bool)]
    )
    func bars(value: Double, bar: Figure.Bar, holds: Bool) {
        #expect(Figure("x", value: value, unit: "ratio", bar: bar).holds == holds)
    }

    @Test("compare the worst value with the bar where none may be above it, and say the median")
    func worst() throws {
        let sample = try #require(Sample([101, 3, 4]))
        let figure = Figure("x", worstOf: sample, unit: "ms", bar: .atMost(100), remark: "2 loops")
        #expect(figure.value == 101 && !figure.holds)
        #expect(figure.remark == "the worst of 3, median 4.000; 2 loops")
        #expect(Figure("x", sample, unit: "ms", bar: .atMost(100)).holds)
    }

    @Test("write a figure with its five members, a missing bar as null")
    func json() {
        let figures = [
            Figure("a", value: 1.25004, unit: "ratio", bar: .atMost(1.5)),
            Figure("b", value: 7, unit: "ms", bar: .reported),
        ]
        let text = JSONNode.array(figures.map(\.json)).serialized()
        #expect(
            String(decoding: text, as: UTF8.self) == """
                [{"name":"a","value":1.25,"unit":"ratio","bar":1.5,"holds":true},\
                {"name":"b","value":7.0,"unit":"ms","bar":null,"holds":true}]
                """
        )
    }

    @Test(
        "print small numbers with more decimal places than large numbers",
        arguments: [
            (8431.4, "8431"), (71.25, "71.3"), (1.0416, "1.042"), (0.05, "0.050"), (-1.5, "-1.500"),
            (0, "0.000"),
        ]
    )
    func numbers(value: Double, text: String) {
        #expect(FigureTable.number(value) == text)
    }

    @Test("align the columns of the table")
    func table() throws {
        let sample = try #require(Sample([1, 1.1, 1.3]))
        let figures = [
            Figure("CPU", sample, unit: "ratio", bar: .atMost(1.2), remark: "71 µs over 65 µs"),
            Figure("rate", value: 8000, unit: "requests/s", bar: .atLeast(9000)),
        ]
        #expect(
            FigureTable(figures).text == """
                figure  median           quartiles      bar            holds  measured
                CPU     1.100            1.050...1.200  at most 1.200  yes    71 µs over 65 µs
                rate    8000 requests/s                 at least 9000  NO

                """
        )
    }
}
