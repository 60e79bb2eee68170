// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A timer that closes a channel at the earliest of several deadlines.
///
/// A timer that fires before the earliest deadline is left in place and reschedules itself, so that moving a deadline
/// costs no task.
final class CloseTimer {
  /// The time until which the client must have sent what the server waits for, or `nil` if the server does not wait.
  var readDeadline: NIODeadline?

  /// The time until which the client must have read what the server sends, or `nil` if the server does not wait.
  var writeDeadline: NIODeadline?

  /// The time at which the channel ends in any case, or `nil` if there is no such time.
  var endDeadline: NIODeadline?

  private var scheduledClose: (deadline: NIODeadline, task: Scheduled<Void>)?

  private var earliestDeadline: NIODeadline? { [readDeadline, writeDeadline, endDeadline].compactMap(\.self).min() }

  /// Starts the timer after a deadline was set; when one is removed, a timer that fires in vain does no harm.
  func schedule(_ context: ChannelHandlerContext) {
    guard let nextDeadline = earliestDeadline else { return }
    if let scheduledClose {
      guard scheduledClose.deadline > nextDeadline else { return }
      scheduledClose.task.cancel()
    }
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: nextDeadline) { self.closeIfDue(context) }
    scheduledClose = (nextDeadline, task)
  }

  func cancel() {
    scheduledClose?.task.cancel()
    scheduledClose = nil
  }

  private func closeIfDue(_ context: ChannelHandlerContext) {
    scheduledClose = nil
    if let earliestDeadline, earliestDeadline <= context.eventLoop.now {
      context.close(promise: nil)
    } else {
      schedule(context)
    }
  }
}
