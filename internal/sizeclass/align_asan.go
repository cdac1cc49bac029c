//go:build go1.25 && asan

package sizeclass

// With the address sanitizer, the allocator adds memory behind each array, so the array gets
// another size and less alignment: 96 bytes for the class of 64. So Put recognises fewer foreign
// arrays.
const aligned = 32
