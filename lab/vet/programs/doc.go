// Package programs runs basin vet and basin migrate on whole programs, for its tests alone: random and
// hostile ones, which must print the same afterwards; those of proof/misuse; and modules of others.
package programs
