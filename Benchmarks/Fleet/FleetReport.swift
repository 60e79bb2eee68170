/// What a fleet asked of its token service, in times of the mean.
struct FleetReport {
  /// A part of the story, with what the busiest second in it may be at most.
  struct Part {
    var name: String
    var seconds: Range<Int>
    var bound: Double
  }

  /// For how long a key lives, in seconds.
  let life: Int
  /// How many seconds are counted together; more than one for a fleet so small that chance alone makes peaks.
  let bin: Int
  /// How often the service was asked, for each bin.
  let questions: [Int]
  /// How often it is asked in a bin when nothing happens: the second half of the first day.
  let mean: Double

  static let parts = [
    Part(name: "from the first renewal on", seconds: Fleet.Story.opening..<Fleet.Story.day, bound: 6),
    Part(name: "after a day", seconds: Fleet.Story.day..<Fleet.Story.outage, bound: 2),
    Part(name: "ten minutes of outage", seconds: Fleet.Story.outage..<Fleet.Story.recovery, bound: 10),
    Part(name: "after the outage", seconds: Fleet.Story.recovery..<Fleet.Story.calm, bound: 10),
    Part(name: "after all were rejected", seconds: Fleet.Story.rejection + 1..<Fleet.Story.end, bound: 6),
  ]

  init(life: Int, bin: Int, questions seconds: [UInt32]) {
    self.life = life
    self.bin = bin
    // What happens within a second, the opening and the rejection, is in a bin of its own.
    questions = stride(from: 0, to: seconds.count, by: bin).map { start in
      let burst = [0, Fleet.Story.rejection].contains(start) ? 1 : 0
      return seconds[(start + burst)..<min(seconds.count, start + bin)].reduce(0) { $0 + Int($1) }
    }
    let half = seconds[(Fleet.Story.day / 2)..<Fleet.Story.day]
    mean = Double(half.reduce(0) { $0 + Int($1) }) / Double(half.count) * Double(bin)
  }

  /// The busiest bin of some seconds, in times of the mean.
  func peak(_ seconds: Range<Int>) -> Double {
    let bins = seconds.lowerBound / bin..<(seconds.upperBound + bin - 1) / bin
    return Double(questions[bins.clamped(to: questions.indices)].max() ?? 0) / mean
  }
}
