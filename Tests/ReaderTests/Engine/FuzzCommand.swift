// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FuzzEngine

/// Runs inputs through one reader until a limit of libFuzzer is reached: `storage-auth-fuzz READER [OPTION …] [FOLDER
/// …]`.
///
/// Without arguments, it lists the readers.
@main
enum FuzzCommand {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      for reader in Reader.all { print(reader.name) }
      return
    }
    guard let reader = Reader.all.first(where: { $0.name == arguments[1] }) else {
      print("There is no reader \(arguments[1]); without arguments the readers are listed.")
      exit(64)
    }
    current = reader
    var pointers = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) }
    var count = Int32(pointers.count)
    pointers.append(nil)
    let status = pointers.withUnsafeMutableBufferPointer { buffer in
      var base = buffer.baseAddress
      return LLVMFuzzerRunDriver(&count, &base) { data, size in FuzzCommand.read(data, size) }
    }
    exit(status)
  }

  /// The reader of this process, set before the first input and not changed afterwards, so that unsynchronized access
  /// is safe.
  private nonisolated(unsafe) static var current: Reader?

  private static func read(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    guard let reader = current else { return -1 }
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        _ = try await reader.read(input)
      } catch {
        FileHandle.standardError.write(Data("\(reader.name): \(error)\n".utf8))
        abort()
      }
      done.signal()
    }
    done.wait()
    return 0
  }
}
