// The page is whole without this: it only adds a button to each command.
for (const box of document.querySelectorAll(".command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(box.querySelector("code").textContent);
    button.textContent = "Copied";
  });
  box.append(button);
}
