// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A number of bytes, or a rate, in the largest binary unit that keeps it above one.
struct ByteText: CustomStringConvertible {
  let description: String

  private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]

  /// Creates the text of a number of bytes, such as `1.5 GiB`.
  init(_ count: Int64) {
    self.init(Double(count), suffix: "")
  }

  /// Creates the text of a rate, such as `12.3 MiB/s`.
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
  /// The duration as minutes and seconds, such as `1:05`, or in seconds with a tenth below ten seconds.
  var clockText: String {
    let seconds = components.seconds
    if seconds < 10 { return "\((self / .seconds(1) * 10).rounded() / 10) s" }
    let secondOfMinute = seconds % 60
    return "\(seconds / 60):\(secondOfMinute < 10 ? "0" : "")\(secondOfMinute)"
  }
}
