// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

extension AscpAttempt {
  /// Handles a management frame from ascp, and returns the resulting effects.
  ///
  /// `INIT` and `SESSION` do not prove authentication, because ascp sends them before the server has checked the
  /// account. They also precede an `ERROR` with code 19.
  mutating func read(_ frame: ManagementFrame) -> [Effect] {
    switch frame.kind {
    case .statistics?, .notification?: return authenticated() + reported(progress.update(from: frame))
    case .stop?: return authenticated() + stopped(frame) + reported(progress.update(from: frame))
    case .skip?: return authenticated() + file(frame, .skipped)
    case .fileError?: return file(frame, .failed(code: frame.code ?? 0, text: text(of: frame)))
    case .done? where frame.provesAuthentication:
      progress.close(with: frame)
      guard verdict == nil else { return [] }
      settle(.done)
      return authenticated()
    case .done?, .error?:
      settle(.failed(code: frame.code ?? 0, text: text(of: frame)))
      return []
    default: return []
    }
  }

  /// Handles the end of a file's transfer, which succeeded unless the frame has a nonzero code.
  private mutating func stopped(_ frame: ManagementFrame) -> [Effect] {
    let code = frame.code ?? 0
    return file(frame, code == 0 ? .done : .failed(code: code, text: text(of: frame)))
  }

  private mutating func file(_ frame: ManagementFrame, _ outcome: TransferFileReport.Outcome) -> [Effect] {
    [.report(.file(progress.finish(frame.file ?? "", with: outcome, in: frame)))]
  }

  private func reported(_ progress: TransferProgressReport?) -> [Effect] {
    progress.map { [.report(.progress($0))] } ?? []
  }

  private func text(of frame: ManagementFrame) -> String {
    mask.applied(to: frame.errorDescription ?? "")
  }
}
