// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// A progress bar on the last line of standard error, with the rate and the remaining time.
final class ProgressBar: Sendable {
  private static let width = 30
  /// The minimum time between two updates, so that a fast transfer does not wait for the terminal.
  private static let minimumInterval = Duration.milliseconds(100)

  private let name: String
  private let start = ContinuousClock.now
  private let lastPrinted = Lock<ContinuousClock.Instant?>(nil)

  /// Creates a progress bar, or returns `nil` if standard error is not a terminal.
  init?(_ name: String) {
    guard Terminal.showsProgress else { return nil }
    self.name = name
  }

  var handler: TransferProgress.Handler {
    { self.show($0.fractionCompleted, $0.completed, of: $0.total) }
  }

  var pipelineHandler: PipelineProgress.Handler {
    { self.show($0.fractionCompleted, $0.completedBytes, of: $0.totalBytes, objects: $0.completedObjects) }
  }

  private func show(_ fraction: Double, _ bytes: Int64, of total: Int64?, objects: Int? = nil) {
    let now = ContinuousClock.now
    let isDue = lastPrinted.withLock { lastPrinted in
      if fraction < 1, let last = lastPrinted, now - last < Self.minimumInterval { return false }
      lastPrinted = now
      return true
    }
    guard isDue else { return }
    let percent = Int(min(1, max(0, fraction)) * 100)
    let filledWidth = percent * Self.width / 100
    let (full, empty) = Terminal.isPlain ? ("#", "-") : ("█", "░")
    let bar = String(repeating: full, count: filledWidth) + String(repeating: empty, count: Self.width - filledWidth)
    let elapsed = now - start
    var status = "\(bar) \(percent) % \(ByteText(bytes, per: elapsed))"
    if let total, bytes > 0, total > bytes {
      status += ", \((elapsed * (Double(total - bytes) / Double(bytes))).clockText) left"
    }
    Terminal.showProgress(of: "\(objects.map { "\($0) " } ?? "")\(name)", status)
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
