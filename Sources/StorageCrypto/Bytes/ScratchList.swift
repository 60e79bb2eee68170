/// A short list that lies on the stack, and moves to the heap only where it grows past that.
///
/// A list exists only inside the closure that it is passed to.
@safe
package struct ScratchList<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline let block: UnsafeMutableBufferPointer<Element>
  @usableFromInline var heap: [Element] = []
  /// How many elements there are.
  package internal(set) var count = 0

  @inlinable
  init(block: UnsafeMutableBufferPointer<Element>) {
    unsafe self.block = block
  }

  /// Runs `body` with an empty list.
  @inlinable
  package static func with<Result, Failure: Error>(
    _ body: (inout ScratchList) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let capacity = 1024 / MemoryLayout<Element>.stride
    return try unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: capacity) {
      (block) throws(Failure) -> Result in
      var list = unsafe ScratchList(block: block)
      return try body(&list)
    }
  }

  /// Adds an element at the end.
  @inlinable
  package mutating func append(_ element: Element) {
    if heap.isEmpty, unsafe count < block.count {
      unsafe block.initializeElement(at: count, to: element)
    } else {
      if heap.isEmpty { unsafe heap = Array(block) }
      heap.append(element)
    }
    count += 1
  }

  /// The element at an index.
  package subscript(_ index: Int) -> Element {
    @inlinable get {
      guard heap.isEmpty else { return heap[index] }
      precondition(index >= 0 && index < count, "The index is outside of the list.")
      return unsafe block[index]
    }
    @inlinable set {
      guard heap.isEmpty else { return heap[index] = newValue }
      precondition(index >= 0 && index < count, "The index is outside of the list.")
      unsafe block[index] = newValue
    }
  }

  /// Sorts the elements; equal ones keep their order.
  @inlinable
  package mutating func sort(by areInIncreasingOrder: (Element, Element) -> Bool) {
    guard count <= 24 else { return sortOnHeap(by: areInIncreasingOrder) }
    var sorted = 1
    while sorted < count {
      let element = self[sorted]
      var place = sorted
      while place > 0, areInIncreasingOrder(element, self[place - 1]) {
        self[place] = self[place - 1]
        place -= 1
      }
      self[place] = element
      sorted += 1
    }
  }

  @inlinable
  mutating func sortOnHeap(by areInIncreasingOrder: (Element, Element) -> Bool) {
    if heap.isEmpty { unsafe heap = Array(block[..<count]) }
    heap.sort(by: areInIncreasingOrder)
  }
}
