// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A short list on the stack, which moves to the heap if it becomes too long, and exists only inside a closure.
@safe @usableFromInline package struct ScratchList<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var block: UnsafeMutableBufferPointer<Element>
  @usableFromInline var isOnHeap = false
  @usableFromInline package var count = 0

  @inlinable @inline(__always) init(block: UnsafeMutableBufferPointer<Element>) { unsafe self.block = block }

  @inlinable deinit {
    if isOnHeap { unsafe block.deallocate() }
  }

  @inlinable @inline(__always) package static func with<Result, Failure: Error>(
    _ body: (inout ScratchList) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The memory is small enough to be on the stack always.
    let capacity = max(1, 1024 / MemoryLayout<Element>.stride)
    return try unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: capacity) {
      (block) throws(Failure) -> Result in
      var list = unsafe ScratchList(block: block)
      return try body(&list)
    }
  }

  @inlinable @inline(__always) package mutating func append(_ element: Element) {
    if unsafe count == block.count { grow() }
    unsafe block.initializeElement(at: count, to: element)
    count &+= 1
  }

  @inlinable @inline(never) mutating func grow() {
    let largerBlock = unsafe UnsafeMutableBufferPointer<Element>.allocate(capacity: block.count * 2)
    _ = unsafe largerBlock.update(fromContentsOf: block)
    if isOnHeap { unsafe block.deallocate() }
    unsafe block = largerBlock
    isOnHeap = true
  }

  @inlinable @inline(__always) package subscript(_ index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "The index is outside of the list.")
      return unsafe block[index]
    }
    set {
      precondition(index >= 0 && index < count, "The index is outside of the list.")
      unsafe block[index] = newValue
    }
  }

  @inlinable @inline(__always) package mutating func keep(where isKept: (Element) -> Bool) {
    var keptCount = 0
    for index in 0..<count where isKept(self[index]) {
      self[keptCount] = self[index]
      keptCount &+= 1
    }
    count = keptCount
  }

  /// The maximum number of elements for which an insertion sort, which does not allocate, is the faster one.
  @inlinable static var insertionSortLimit: Int { 24 }

  /// Sorts the list, keeping the order of equal elements, and returns whether at least two elements are equal.
  ///
  /// - Parameter compare: A closure that returns a negative integer if its first argument sorts first, zero if equal.
  @inlinable @inline(__always) @discardableResult
  package mutating func sort(by compare: (Element, Element) -> Int) -> Bool {
    var hasEqual = false
    guard count <= Self.insertionSortLimit else {
      var sorted = unsafe Array(block[..<count])
      sorted.sort { compare($0, $1) < 0 }
      for index in 0..<count {
        unsafe block[index] = sorted[index]
        if index > 0, compare(sorted[index &- 1], sorted[index]) == 0 { hasEqual = true }
      }
      return hasEqual
    }
    var sortedCount = 1
    while sortedCount < count {
      let element = self[sortedCount]
      var position = sortedCount
      while position > 0 {
        // Equal elements are adjacent, so that an element is compared with the last of them.
        let order = compare(element, self[position &- 1])
        if order == 0 { hasEqual = true }
        if order >= 0 { break }
        self[position] = self[position &- 1]
        position &-= 1
      }
      self[position] = element
      sortedCount &+= 1
    }
    return hasEqual
  }
}
