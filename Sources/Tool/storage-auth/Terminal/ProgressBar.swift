// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// A progress bar on the last line of standard error, with the rate and the remaining time.
final class ProgressBar: Sendable {
  private static let width = 30
  /// The minimum time between two updates, so that a fast transfer does not wait for the terminal.
  private static let minimumInterval = Duration.milliseconds(100)

  /// The longest remaining time that is shown: eleven days.
  private static let maximumSecondsLeft = 1_000_000.0

  private let name: String
  private let start = ContinuousClock.now
  private let lastPrinted = Lock<ContinuousClock.Instant?>(nil)

  /// Creates a progress bar, or returns `nil` if standard error is not a terminal.
  init?(_ name: String) {
    guard Terminal.showsProgress else { return nil }
    self.name = name
  }

  var handler: TransferProgress.Handler { { self.show($0.fractionCompleted, $0.completed, of: $0.total) } }

  var pipelineHandler: PipelineProgress.Handler {
    { self.show($0.fractionCompleted, $0.completedBytes, of: $0.totalBytes, objectCount: $0.completedObjects) }
  }

  private func show(_ fraction: Double, _ byteCount: Int64, of total: Int64?, objectCount: Int? = nil) {
    let now = ContinuousClock.now
    let isDue = lastPrinted.withLock { lastPrinted in
      if fraction < 1, let last = lastPrinted, now - last < Self.minimumInterval { return false }
      lastPrinted = now
      return true
    }
    guard isDue else { return }
    let percent = Int(min(1, max(0, fraction)) * 100)
    let filledWidth = percent * Self.width / 100
    let (filled, empty) = Terminal.isPlain ? ("#", "-") : ("█", "░")
    let bar = String(repeating: filled, count: filledWidth) + String(repeating: empty, count: Self.width - filledWidth)
    let elapsed = now - start
    var status = "\(bar) \(percent) % \(ByteText(byteCount, per: elapsed))"
    if let timeLeft = Self.timeLeft(after: elapsed, byteCount, of: total) { status += ", \(timeLeft.clockText) left" }
    Terminal.showProgress(of: "\(objectCount.map { "\($0) " } ?? "")\(name)", status)
  }

  /// Returns the estimated remaining time, or `nil` if there is no basis for it or no bytes remain.
  static func timeLeft(after elapsed: Duration, _ byteCount: Int64, of total: Int64?) -> Duration? {
    guard let total, byteCount > 0, total > byteCount else { return nil }
    let seconds = elapsed / .seconds(1) * (Double(total - byteCount) / Double(byteCount))
    // The total can be any number that a service sends, and a duration that overflows would end the program.
    return .seconds(min(seconds, maximumSecondsLeft))
  }

  func finish() { Terminal.endProgress() }
}

/// A number of bytes, or a rate, in the largest binary unit in which it is at least 1.
struct ByteText: CustomStringConvertible {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]
  let description: String

  /// Creates a text such as `1.5 GiB`.
  init(_ count: Int64) { self.init(Double(count), suffix: "") }

  /// Creates a text such as `12.3 MiB/s`.
  init(_ count: Int64, per duration: Duration) {
    let seconds = duration / .seconds(1)
    self.init(seconds > 0 ? Double(count) / seconds : 0, suffix: "/s")
  }

  private init(_ number: Double, suffix: String) {
    var number = max(0, number)
    var unitIndex = 0
    while number >= 1024, unitIndex + 1 < Self.units.count {
      number /= 1024
      unitIndex += 1
    }
    let digits = unitIndex == 0 ? "\(Int(number.rounded()))" : "\((number * 10).rounded() / 10)"
    description = "\(digits) \(Self.units[unitIndex])\(suffix)"
  }
}

extension Duration {
  /// Minutes and seconds, such as `1:05`, or below ten seconds such as `3.2 s`.
  var clockText: String {
    let seconds = components.seconds
    if seconds < 10 { return "\((self / .seconds(1) * 10).rounded() / 10) s" }
    let secondOfMinute = seconds % 60
    return "\(seconds / 60):\(secondOfMinute < 10 ? "0" : "")\(secondOfMinute)"
  }
}
