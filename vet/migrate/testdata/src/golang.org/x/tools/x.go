package tools

const X = 1
