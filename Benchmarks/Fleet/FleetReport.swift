// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The requests of a fleet to its token service, as multiples of the mean.
struct FleetReport {
  /// A part of the simulated time, with the bound of its busiest second.
  struct Part {
    var name: String
    var seconds: Range<Int>
    var bound: Double
  }

  /// The lifetime of a key in seconds.
  let life: Int
  /// The number of seconds in a bin; above one for a fleet so small that random variation alone creates peaks.
  let bin: Int
  /// The number of requests to the service in each bin.
  let questions: [Int]
  /// The average number of requests in a bin without events: that of the second half of the first day.
  let mean: Double

  static let parts = [
    Part(name: "from the first refresh on", seconds: Fleet.Story.opening..<Fleet.Story.day, bound: 6),
    Part(name: "after a day", seconds: Fleet.Story.day..<Fleet.Story.outage, bound: 2),
    Part(name: "ten minutes of outage", seconds: Fleet.Story.outage..<Fleet.Story.recovery, bound: 10),
    Part(name: "after the outage", seconds: Fleet.Story.recovery..<Fleet.Story.calm, bound: 10),
    Part(name: "after all were rejected", seconds: Fleet.Story.rejection + 1..<Fleet.Story.end, bound: 6),
  ]

  init(life: Int, bin: Int, questions seconds: [UInt32]) {
    self.life = life
    self.bin = bin
    // The requests of a single second, the opening and the rejection, are not counted.
    questions = stride(from: 0, to: seconds.count, by: bin).map { start in
      let burst = [0, Fleet.Story.rejection].contains(start) ? 1 : 0
      return seconds[(start + burst)..<min(seconds.count, start + bin)].reduce(0) { $0 + Int($1) }
    }
    let half = seconds[(Fleet.Story.day / 2)..<Fleet.Story.day]
    mean = Double(half.reduce(0) { $0 + Int($1) }) / Double(half.count) * Double(bin)
  }

  /// Returns the busiest bin of a range of seconds, as a multiple of the mean.
  func peak(_ seconds: Range<Int>) -> Double {
    let bins = seconds.lowerBound / bin..<(seconds.upperBound + bin - 1) / bin
    return Double(questions[bins.clamped(to: questions.indices)].max() ?? 0) / mean
  }
}
