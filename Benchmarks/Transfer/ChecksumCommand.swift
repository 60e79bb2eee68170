// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StorageAuth
import StorageCrypto

/// A command that times CRCs over chunks of the size in which files are read.
struct ChecksumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crc", abstract: "Times CRCs in bytes per nanosecond, by table and as transfers compute them.")

  @Option(help: "The size of a chunk in bytes.")
  var chunk = 256 << 10

  @Option(help: "The number of alternating measurements; the fastest counts.")
  var repetitions = 50

  func run() {
    let bytes = (0..<chunk).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 7) }
    for algorithm in CRC.Algorithm.allCases {
      let byTable = fastest { crc in
        bytes.withUnsafeBytes { crc.updateByTable($0) }
      } of: {
        CRC(algorithm)
      }
      let now = fastest { crc in
        crc.update(bytes)
      } of: {
        CRC(algorithm)
      }
      StandardStream.print(
        "\(algorithm): \(rounded(byTable)) by table, \(rounded(now)) as it is, \(rounded(now / byTable)) times as fast")
    }
  }

  /// Returns the greatest number of bytes per nanosecond.
  private func fastest(_ update: (inout CRC) -> Void, of make: () -> CRC) -> Double {
    var best = 0.0
    var total: UInt64 = 0
    for _ in 0..<repetitions {
      let start = Usage.now.processorNanoseconds
      var crc = make()
      for _ in 0..<10 { update(&crc) }
      total &+= crc.checksum
      best = max(best, Double(10 * chunk) / max(Usage.now.processorNanoseconds - start, 1))
    }
    precondition(total != 1, "The checksums are used.")
    return best
  }
}
